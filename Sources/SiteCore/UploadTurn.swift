/// Decides which box uploads its entries. Boxes take turns, because after a restore all have the same entries.
struct UploadTurn: Sendable {
    /// A box that sends nothing for this long loses its turn and its link.
    static let silence: Duration = .seconds(10)
    /// The longest turn: 2 MB of entries at 300 kbit/s.
    static let longest: Duration = .seconds(60)

    private struct Turn: Sendable {
        let id: LinkID
        let began: Duration
        var heard: Duration
        /// True while the upload is being stored. The turn lasts until the write was tried, even if the link has ended.
        /// A box that reconnects again and again thus never has more than one write under way.
        var isStoring = false
    }

    private var current: Turn?
    private var waiting: [LinkID] = []

    /// Asks for a turn. If too many boxes wait, nothing happens, and the box asks again at the next differing status.
    mutating func ask(_ id: LinkID) {
        guard !isOf(id), !waiting.contains(id), waiting.count < SiteLimits.waitingUploads else { return }
        waiting.append(id)
    }

    /// Returns whether the box has the turn, also while its upload is being stored.
    func isOf(_ id: LinkID) -> Bool { current?.id == id }

    func isWaiting(_ id: LinkID) -> Bool { waiting.contains(id) }

    /// Cancels a wait, because another box brought the same entries.
    mutating func withdraw(_ id: LinkID) { waiting.removeAll { $0 == id } }

    /// Notes that the box sent something.
    mutating func heard(_ id: LinkID, now: Duration) {
        if isOf(id) { current?.heard = now }
    }

    /// Notes that the upload is complete and is being stored.
    mutating func store(_ id: LinkID) {
        if isOf(id) { current?.isStoring = true }
    }

    mutating func finish(_ id: LinkID) {
        if isOf(id) { current = nil }
    }

    /// Takes the end of the link.
    mutating func leave(_ id: LinkID) {
        withdraw(id)
        if let current, current.id == id, !current.isStoring { self.current = nil }
    }

    /// Begins the next turn. Returns its link, or nil if none begins.
    mutating func next(now: Duration) -> LinkID? {
        guard current == nil, !waiting.isEmpty else { return nil }
        let id = waiting.removeFirst()
        current = Turn(id: id, began: now, heard: now)
        return id
    }

    /// When the box with the turn loses it.
    var deadline: Duration? {
        guard let current, !current.isStoring else { return nil }
        return min(current.heard + Self.silence, current.began + Self.longest)
    }

    /// Returns the box whose turn has lasted too long.
    func overdue(now: Duration) -> LinkID? {
        guard let current, let deadline, now >= deadline else { return nil }
        return current.id
    }
}
