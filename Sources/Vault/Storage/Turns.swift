/// Makes callers wait for one another: one at a time for each key, a few keys at a time, in the order they came.
struct Turns<Key: Hashable & Sendable> {
    /// Tries of different keys that run at once: each holds the memory of one Argon2id.
    static var runningLimit: Int { 4 }
    /// Callers that wait for one key; more are refused.
    static var waitingPerKeyLimit: Int { 4 }
    /// Callers that wait in all; more are refused.
    static var waitingLimit: Int { 64 }

    enum Admission {
        case now, wait, refused
    }

    private var running: Set<Key> = []
    private var waiting: [(key: Key, continuation: CheckedContinuation<Void, Never>)] = []

    /// `now`: the turn is the caller's. `wait`: the caller calls `wait` next.
    mutating func enter(_ key: Key) -> Admission {
        if running.count < Self.runningLimit, running.insert(key).inserted { return .now }
        guard waiting.count < Self.waitingLimit,
            waiting.count(where: { $0.key == key }) < Self.waitingPerKeyLimit
        else { return .refused }
        return .wait
    }

    mutating func wait(_ key: Key, _ continuation: CheckedContinuation<Void, Never>) {
        waiting.append((key, continuation))
    }

    /// Ends a turn: the first in line whose key is free has the next.
    mutating func end(_ key: Key) {
        running.remove(key)
        while running.count < Self.runningLimit,
            let index = waiting.firstIndex(where: { !running.contains($0.key) })
        {
            let next = waiting.remove(at: index)
            running.insert(next.key)
            next.continuation.resume()
        }
    }
}
