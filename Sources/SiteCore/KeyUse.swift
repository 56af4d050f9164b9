/// From where the links of one key come: a box that was copied, with its key, takes the link away from the other one again and again.
struct KeyUse: Sendable, Equatable {
    /// So many changes between addresses within the window are no move of one box any more.
    static let changeLimit = 4
    static let window: Duration = .seconds(600)

    private var address: String
    private var changes: [Duration] = []

    init(address: String) {
        self.address = address
    }

    /// A link from `address` while the one before stands or has just ended. True: two boxes have the key.
    mutating func isDouble(from address: String, now: Duration) -> Bool {
        guard address != self.address else { return false }
        self.address = address
        changes.removeAll { now - $0 > Self.window }
        changes.append(now)
        return changes.count >= Self.changeLimit
    }
}
