import Links

/// The phone's end of a connection to a box: first it shows who the box is, then it carries segments.
public protocol CentralLink: AnyObject, Sendable {
    /// What the box shows of itself to everybody, as `PeripheralRadio.start` was given it; at most
    /// `RadioLimits.identityBytes`.
    func readIdentity() async throws(LinkError) -> [UInt8]
    /// Gives the connection a carrier of segments, once; before this the box takes no segment. From then on the
    /// connection is that link's, and closing the link ends it.
    func open(for demand: LinkDemand) async throws(LinkError) -> OpenedLink
    /// Ends the connection. May be called again.
    func close() async
}

/// What came of a demand.
public struct OpenedLink: Sendable {
    public let link: any PhoneLink
    /// What its carrier is meant for. It may be less than was asked, and more where a person wants that.
    public let carries: LinkDemand
    /// What a person is told when a carrier was wanted that is not to be had now: it goes behind the box's name. Safe to
    /// print.
    public let shortcoming: String?

    public init(_ link: any PhoneLink, carries: LinkDemand, shortcoming: String? = nil) {
        self.link = link
        self.carries = carries
        self.shortcoming = shortcoming
    }
}
