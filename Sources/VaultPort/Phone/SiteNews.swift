/// What a phone has heard of a site from a box, once it was verified: to be written down as a whole.
public struct SiteNews: Equatable, Sendable {
    /// The site's row.
    public let id: [UInt8]
    /// The document that this was judged by: where another one than this or the new one stands by now, nothing is written.
    public let inPlaceOf: [UInt8]
    /// The pin from now on. Of another generation than it, nothing is kept.
    public let document: [UInt8]
    /// Kept unless a newer one stands by now.
    public let head: [UInt8]?
    /// Revocations of boxes that are new. What has expired at the head's time is forgotten.
    public let entries: [[UInt8]]

    public init(id: [UInt8], inPlaceOf: [UInt8], document: [UInt8], head: [UInt8]? = nil, entries: [[UInt8]] = []) {
        self.id = id
        self.inPlaceOf = inPlaceOf
        self.document = document
        self.head = head
        self.entries = entries
    }
}
