/// Requests of phones that the box has carried to its site over one link, until they are answered.
struct HeldRequests: Sendable {
    /// The most requests at once: a site accepts this many from one link.
    static let limit = 8
    /// The time limit for an answer. The site's own limit for its database is shorter.
    static let patience: Duration = .seconds(15)

    private var last: UInt32 = 0
    private var open: [UInt32: (id: OperationID, until: Duration)] = [:]

    /// Adds a request. Returns its number at the site, or nil if too many wait.
    mutating func begin(_ id: OperationID, now: Duration) -> UInt32? {
        guard open.count < Self.limit else { return nil }
        last &+= 1
        open[last] = (id, now + Self.patience)
        return last
    }

    /// Removes the request of an answer. Returns its operation, or nil if no request has that number.
    mutating func end(_ number: UInt32) -> OperationID? { open.removeValue(forKey: number)?.id }

    /// Removes and returns all requests in order, because the link has ended.
    mutating func drop() -> [OperationID] {
        defer { open = [:] }
        return open.sorted { $0.key < $1.key }.map(\.value.id)
    }

    /// Removes and returns the requests that were not answered in time.
    mutating func takeOverdue(now: Duration) -> [OperationID] {
        let overdue = open.filter { $0.value.until <= now }
        for number in overdue.keys { open[number] = nil }
        return overdue.sorted { $0.key < $1.key }.map(\.value.id)
    }

    var deadline: Duration? { open.values.map(\.until).min() }
}
