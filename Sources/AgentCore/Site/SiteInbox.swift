import SiteLink

/// The messages of a server that came while the vault was writing, in order.
struct SiteInbox: Sendable {
    enum Item: Sendable {
        case greeting(SiteGreeting)
        case message(MessageFromSite)
    }

    /// The most items: a complete set of entries in full batches, and some more.
    static let limit = 16_384 / MessageToSite.entryLimit + 16

    private var items: [Item] = []

    var isEmpty: Bool { items.isEmpty }

    /// Adds an item. Returns false if there are too many, because the server does not fill its batches.
    mutating func add(_ item: Item) -> Bool {
        guard items.count < Self.limit else { return false }
        items.append(item)
        return true
    }

    mutating func next() -> Item? { items.isEmpty ? nil : items.removeFirst() }
    mutating func clear() { items = [] }
}
