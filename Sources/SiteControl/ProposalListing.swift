import ControlProtocol

/// An order that waits for a second administrator.
public struct ProposalListing: Equatable, Sendable {
    /// 8 letters and digits.
    public var id = ""
    /// The number and name of the administrator who proposed it.
    public var proposer: UInt64 = 0
    public var proposerName = ""
    /// The order in words: `remove box ward3-1, number 004711`.
    public var order = ""
    public var reason = ""
    /// Seconds since 1970.
    public var made: UInt64 = 0
    public var expiry: UInt64 = 0

    public init() {}

    package mutating func code(_ coder: inout FieldCoder) throws(ControlMessageError) {
        try coder.text("id", &id, limit: SiteControlLimits.proposalBytes)
        try coder.number("proposer", &proposer)
        try coder.text("proposer-name", &proposerName, limit: SiteControlLimits.nameBytes)
        try coder.text("order", &order, limit: ControlLimits.textBytes)
        try coder.text("reason", &reason, limit: SiteControlLimits.reasonBytes)
        try coder.number("made", &made)
        try coder.number("expiry", &expiry)
    }
}
