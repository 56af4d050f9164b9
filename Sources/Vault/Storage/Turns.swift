/// Queues callers: one at a time for each key, a few keys at a time, in order of arrival.
struct Turns<Key: Hashable & Sendable> {
    /// Keys that run at once; each try holds the memory of one Argon2id.
    static var runningLimit: Int { 4 }
    /// Callers that may wait for one key; more are refused.
    static var waitingPerKeyLimit: Int { 4 }
    /// Callers that may wait in total; more are refused.
    static var waitingLimit: Int { 64 }

    enum Admission {
        case now, wait, refused
    }

    private var running: Set<Key> = []
    private var waiting: [(key: Key, continuation: CheckedContinuation<Void, Never>)] = []

    /// Asks for a turn. After `now`, the caller has the turn. After `wait`, the caller must call `wait`.
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

    /// Ends a turn and gives the next one to the first caller whose key is free.
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
