/// An order that waits for a second administrator.
public struct SiteProposal: Sendable, Equatable {
    public enum State: String, Sendable, CaseIterable { case waiting, approved, rejected }

    /// 5 random bytes, shown as 8 letters and digits. A serial number could repeat after a backup is restored.
    public let id: [UInt8]
    /// The proposer's row number and name.
    public let proposer: Int64
    public let proposerName: String
    public let order: SiteOrder
    /// Seconds since 1970, by the database's clock.
    public let made: UInt64
    public let expiry: UInt64
    public let state: State
    public let decidedBy: Int64?

    public static let idBytes = 5

    public init(
        id: [UInt8], proposer: Int64, proposerName: String, order: SiteOrder, made: UInt64, expiry: UInt64,
        state: State, decidedBy: Int64?
    ) {
        self.id = id
        self.proposer = proposer
        self.proposerName = proposerName
        self.order = order
        self.made = made
        self.expiry = expiry
        self.state = state
        self.decidedBy = decidedBy
    }
}
