/// Makes callers wait for one another, for each key apart: one at a time, in the order they came.
struct Turns<Key: Hashable & Sendable> {
    private var waiting: [Key: [CheckedContinuation<Void, Never>]] = [:]

    /// Whether the turn is free; it is the caller's then.
    mutating func take(_ key: Key) -> Bool {
        guard waiting[key] == nil else { return false }
        waiting[key] = []
        return true
    }

    mutating func wait(_ key: Key, _ continuation: CheckedContinuation<Void, Never>) {
        waiting[key]?.append(continuation)
    }

    /// Ends a turn: the next in line has it.
    mutating func end(_ key: Key) {
        guard var line = waiting[key], !line.isEmpty else {
            waiting[key] = nil
            return
        }
        let next = line.removeFirst()
        waiting[key] = line
        next.resume()
    }
}
