/// Requests of phones that the box has carried to its site and that were not answered yet, over one link.
struct HeldRequests: Sendable {
    /// At once: as many as a site takes from one link.
    static let limit = 8
    /// For an answer. The site's own patience with its database is less.
    static let patience: Duration = .seconds(15)

    private var last: UInt32 = 0
    private var open: [UInt32: (id: OperationID, until: Duration)] = [:]

    /// The number under which the site is asked; nil: too many wait.
    mutating func begin(_ id: OperationID, now: Duration) -> UInt32? {
        guard open.count < Self.limit else { return nil }
        last &+= 1
        open[last] = (id, now + Self.patience)
        return last
    }

    /// What the answer with that number is to; nil where nobody waits for it.
    mutating func end(_ number: UInt32) -> OperationID? { open.removeValue(forKey: number)?.id }

    /// All of them: the link is over. In the order in which they came.
    mutating func drop() -> [OperationID] {
        defer { open = [:] }
        return open.sorted { $0.key < $1.key }.map(\.value.id)
    }

    /// Those that were not answered in time.
    mutating func takeOverdue(now: Duration) -> [OperationID] {
        let overdue = open.filter { $0.value.until <= now }
        for number in overdue.keys { open[number] = nil }
        return overdue.sorted { $0.key < $1.key }.map(\.value.id)
    }

    var deadline: Duration? { open.values.map(\.until).min() }
}
