/// Returns the value or throws, for noncopyable values that `#require` cannot take.
func wanted<Value: ~Copyable>(_ value: consuming Value?) throws -> Value {
    guard let value else { throw Missing() }
    return value
}

struct Missing: Error {}
