/// Verified news of a site that a box sent, stored as a whole.
public struct SiteNews: Equatable, Sendable {
    /// The site's row.
    public let id: [UInt8]
    /// The document by which the news was verified. Nothing is stored if the vault has neither that document nor the
    /// new one.
    public let inPlaceOf: [UInt8]
    /// The new document, which becomes the pin. Data of another generation is deleted.
    public let document: [UInt8]
    /// Stored unless the vault now has a newer one.
    public let head: [UInt8]?
    /// New revocations of boxes. Those that expired by the time of the signed status are deleted.
    public let entries: [[UInt8]]

    public init(id: [UInt8], inPlaceOf: [UInt8], document: [UInt8], head: [UInt8]? = nil, entries: [[UInt8]] = []) {
        self.id = id
        self.inPlaceOf = inPlaceOf
        self.document = document
        self.head = head
        self.entries = entries
    }
}
