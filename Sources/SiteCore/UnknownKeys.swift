/// Links whose key is unknown, but may have joined at another server since the database was looked at.
///
/// The second news tells: the first may have been asked for before the link's hello.
struct UnknownKeys: Sendable {
    private static let newsAwaited = 2

    private var news: [LinkID: Int] = [:]

    var isEmpty: Bool { news.isEmpty }
    /// In the order in which they came.
    var links: [LinkID] { news.keys.sorted() }

    mutating func add(_ id: LinkID) { news[id] = 0 }

    mutating func remove(_ id: LinkID) { news[id] = nil }

    /// News have come: links that waited long enough, and wait no more.
    mutating func takeDue() -> Set<LinkID> {
        for id in links { news[id, default: 0] += 1 }
        let due = news.filter { $0.value >= Self.newsAwaited }.keys
        for id in due { news[id] = nil }
        return Set(due)
    }
}
