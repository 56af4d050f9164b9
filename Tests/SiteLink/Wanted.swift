/// What is there, where `#require` cannot take it.
func wanted<Value: ~Copyable>(_ value: consuming Value?) throws -> Value {
    guard let value else { throw Missing() }
    return value
}

struct Missing: Error {}
