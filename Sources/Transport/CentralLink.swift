import Links

/// The phone's end of a connection to a box. It first reads the box's identity, then carries segments.
public protocol CentralLink: AnyObject, Sendable {
    /// Returns the identity that the box shows to everybody, as passed to `PeripheralRadio.start`. It has at most
    /// `RadioLimits.identityBytes`.
    func readIdentity() async throws(LinkError) -> [UInt8]
    /// Opens the connection's only link and chooses its carrier. The box accepts no segment before this call. The link
    /// then owns the connection, and closing the link ends the connection.
    func open(for demand: LinkDemand) async throws(LinkError) -> OpenedLink
    /// Ends the connection. May be called again.
    func close() async
}

/// The result of `CentralLink.open`.
public struct OpenedLink: Sendable {
    public let link: any PhoneLink
    /// The demand that the carrier can serve. It may be less than requested, or more if the user prefers a carrier.
    public let carries: LinkDemand
    /// A text for the user if the wanted carrier is not available now. It follows the box's name and is safe to print.
    public let shortcoming: String?

    public init(_ link: any PhoneLink, carries: LinkDemand, shortcoming: String? = nil) {
        self.link = link
        self.carries = carries
        self.shortcoming = shortcoming
    }
}
