import SiteTrust

/// The database's answer at a refresh.
public struct SiteNews: Sendable {
    /// The database's clock, in seconds since 1970.
    public let time: UInt64
    /// This server's own clock at that moment.
    public let ownTime: UInt64
    /// The present generation of the database.
    public let generation: SiteOrdinal
    /// The highest number assigned in that generation, or nil if more entries must be read first.
    public let number: UInt64?
    /// The newest site document, if it changed. Its reader must verify it.
    public let document: ClaimedSiteDocument?
    /// Entries of that generation with a number above the known ones, in ascending order.
    public let entries: [(number: UInt64, entry: Revocation)]
    /// True if `entries` has all unexpired entries of the database, because they were read from the beginning.
    public let hasAllEntries: Bool
    /// Boxes that changed.
    public let boxes: [SiteBox]
    /// Where changes are stored before they are acknowledged.
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
