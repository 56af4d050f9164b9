/// Which box says what it has more than the site. One at a time: after a backup was restored all of them have the same.
struct UploadTurn: Sendable {
    /// A box that was asked and says nothing for so long loses its turn, and its link.
    static let silence: Duration = .seconds(10)
    /// A whole turn: 2 MB of entries at 300 kbit/s.
    static let longest: Duration = .seconds(60)

    private struct Turn: Sendable {
        let id: LinkID
        let began: Duration
        var heard: Duration
        /// What the box said is being written down: its turn lasts until that was tried, also where its link has ended. So no
        /// box that comes back again and again has more than one write under way.
        var isStoring = false
    }

    private var current: Turn?
    private var waiting: [LinkID] = []

    /// Wants a turn. Where too many wait nothing happens: the box finds at the next head whether it still has something more.
    mutating func ask(_ id: LinkID) {
        guard !isOf(id), !waiting.contains(id), waiting.count < SiteLimits.waitingUploads else { return }
        waiting.append(id)
    }

    /// Whether the box is asked just now, or what it said is being written down.
    func isOf(_ id: LinkID) -> Bool { current?.id == id }

    func isWaiting(_ id: LinkID) -> Bool { waiting.contains(id) }

    /// Another box brought what this one had: it waits no longer.
    mutating func withdraw(_ id: LinkID) { waiting.removeAll { $0 == id } }

    /// Something came from the box.
    mutating func heard(_ id: LinkID, now: Duration) {
        if isOf(id) { current?.heard = now }
    }

    /// The box has said all, and it is being written down.
    mutating func store(_ id: LinkID) {
        if isOf(id) { current?.isStoring = true }
    }

    /// The turn is over.
    mutating func finish(_ id: LinkID) {
        if isOf(id) { current = nil }
    }

    /// The link has ended.
    mutating func leave(_ id: LinkID) {
        withdraw(id)
        if let current, current.id == id, !current.isStoring { self.current = nil }
    }

    /// Whose turn begins now; nil: nobody's.
    mutating func next(now: Duration) -> LinkID? {
        guard current == nil, !waiting.isEmpty else { return nil }
        let id = waiting.removeFirst()
        current = Turn(id: id, began: now, heard: now)
        return id
    }

    /// When the box that is asked loses its turn.
    var deadline: Duration? {
        guard let current, !current.isStoring else { return nil }
        return min(current.heard + Self.silence, current.began + Self.longest)
    }

    /// The box whose turn has lasted too long.
    func overdue(now: Duration) -> LinkID? {
        guard let current, let deadline, now >= deadline else { return nil }
        return current.id
    }
}
