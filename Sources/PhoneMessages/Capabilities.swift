/// What one side can do beyond the protocol version's minimum. Bits that are not known here are kept and ignored:
/// both sides use what both name.
public struct Capabilities: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Credentials kept on the box, opened by a PIN and the phone's device secret.
    public static let boxHeldCredentials = Capabilities(rawValue: 1 << 0)
    /// Reserved for the L2CAP bearer; nobody sets it in version 1.
    public static let l2cap = Capabilities(rawValue: 1 << 1)
    /// The phone reports how strongly it hears the box and shows offers; the box takes the one and makes the other.
    public static let presence = Capabilities(rawValue: 1 << 2)
    /// The phone shows requests to elevate (sudo, polkit) and answers them; the box makes them.
    public static let elevation = Capabilities(rawValue: 1 << 3)
    /// The phone shows warnings before an automatic logout; the box sends them and takes `PhoneRequest.extend`.
    public static let logoutWarnings = Capabilities(rawValue: 1 << 4)
    /// The phone is a page in a browser (docs/decisions/035-web-phones.md).
    public static let browser = Capabilities(rawValue: 1 << 6)
    /// The box is of a site, and hands on the grants that the site issues anew; the phone keeps them.
    public static let siteGrants = Capabilities(rawValue: 1 << 7)
    /// The box hands a phone's messages on to its site, and its site's to the phone; a phone that asks for that wants nothing else on
    /// this channel.
    public static let siteEnrolment = Capabilities(rawValue: 1 << 8)
    /// The box is of a site, and tells a phone what it lacks of that. Only a box names it.
    public static let siteNews = Capabilities(rawValue: 1 << 9)
    /// The box tells a phone that asks for it of phones that its user has enrolled. Only a box names it.
    public static let enrolmentNotices = Capabilities(rawValue: 1 << 10)
    /// The phone shows why its sessions ended; the box says it.
    public static let sessionEnds = Capabilities(rawValue: 1 << 5)
}
