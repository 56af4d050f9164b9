/// Links whose key is unknown, although the box may have joined at another server since the last refresh.
///
/// The second `SiteNews` decides: the first may have been requested before the link's hello.
struct UnknownKeys: Sendable {
    private static let newsAwaited = 2

    private var news: [LinkID: Int] = [:]

    var isEmpty: Bool { news.isEmpty }
    /// The links in the order of their arrival.
    var links: [LinkID] { news.keys.sorted() }

    mutating func add(_ id: LinkID) { news[id] = 0 }

    mutating func remove(_ id: LinkID) { news[id] = nil }

    /// Counts a refresh, and returns the links whose wait is over.
    mutating func takeDue() -> Set<LinkID> {
        for id in links { news[id, default: 0] += 1 }
        let due = news.filter { $0.value >= Self.newsAwaited }.keys
        for id in due { news[id] = nil }
        return Set(due)
    }
}
