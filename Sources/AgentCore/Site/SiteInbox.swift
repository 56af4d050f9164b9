import SiteLink

/// What a server has said while the vault was writing, in order.
struct SiteInbox: Sendable {
    enum Item: Sendable {
        case greeting(SiteGreeting)
        case message(MessageFromSite)
    }

    /// A whole set of entries in full batches, and some more.
    static let limit = 16_384 / MessageToSite.entryLimit + 16

    private var items: [Item] = []

    var isEmpty: Bool { items.isEmpty }

    /// False when there are too many: the server does not keep to batches.
    mutating func add(_ item: Item) -> Bool {
        guard items.count < Self.limit else { return false }
        items.append(item)
        return true
    }

    mutating func next() -> Item? { items.isEmpty ? nil : items.removeFirst() }
    mutating func clear() { items = [] }
}
