import SiteTrust

/// What the database says at a refresh.
public struct SiteNews: Sendable {
    /// The database's clock, in seconds since 1970.
    public let time: UInt64
    /// This server's own calendar at that moment.
    public let ownTime: UInt64
    /// The generation that the database is in.
    public let generation: SiteOrdinal
    /// The highest number that was given out in that generation; nil: there is more to read first.
    public let number: UInt64?
    /// The newest site document, where it changed; verified by whoever reads it.
    public let document: ClaimedSiteDocument?
    /// Entries of that generation with a number above those known, ascending.
    public let entries: [(number: UInt64, entry: Revocation)]
    /// These are all that the database has and that have not expired: it was read from the beginning.
    public let hasAllEntries: Bool
    /// Boxes that changed.
    public let boxes: [SiteBox]
    /// Where changes are before they are acknowledged.
    public let standby: StandbyState

    public init(
        time: UInt64, ownTime: UInt64, generation: SiteOrdinal, number: UInt64?, document: ClaimedSiteDocument? = nil,
        entries: [(number: UInt64, entry: Revocation)] = [], hasAllEntries: Bool = false, boxes: [SiteBox] = [],
        standby: StandbyState = .notNeeded
    ) {
        self.time = time
        self.ownTime = ownTime
        self.generation = generation
        self.number = number
        self.document = document
        self.entries = entries
        self.hasAllEntries = hasAllEntries
        self.boxes = boxes
        self.standby = standby
    }
}
