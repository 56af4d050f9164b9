/// The addresses of the links of one key. If two boxes have the key, each keeps taking the link from the other.
struct KeyUse: Sendable, Equatable {
    /// This many changes of the address within the window cannot come from one box that moves.
    static let changeLimit = 4
    static let window: Duration = .seconds(600)

    private var address: String
    private var changes: [Duration] = []

    init(address: String) {
        self.address = address
    }

    /// Takes a new link from `address`. Returns true if two boxes must have the key.
    mutating func isDouble(from address: String, now: Duration) -> Bool {
        guard address != self.address else { return false }
        self.address = address
        changes.removeAll { now - $0 > Self.window }
        changes.append(now)
        return changes.count >= Self.changeLimit
    }
}
