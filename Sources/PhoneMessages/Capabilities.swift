/// Optional abilities of one side, beyond the protocol version's minimum. Unknown bits are kept and ignored. Unless
/// noted, an ability is used only if both sides have set it.
public struct Capabilities: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The box can keep credentials, opened by a PIN and the phone's device secret.
    public static let boxHeldCredentials = Capabilities(rawValue: 1 << 0)
    /// Reserved for the L2CAP bearer; not set in protocol version 2.
    public static let l2cap = Capabilities(rawValue: 1 << 1)
    /// The phone reports how strongly it hears the box, and shows offers. The box takes reports and makes offers.
    public static let presence = Capabilities(rawValue: 1 << 2)
    /// The phone shows and answers requests to elevate (sudo, polkit). The box makes such requests.
    public static let elevation = Capabilities(rawValue: 1 << 3)
    /// The phone shows warnings before an automatic logout. The box sends warnings and accepts `PhoneRequest.extend`.
    public static let logoutWarnings = Capabilities(rawValue: 1 << 4)
    /// The phone is a page in a browser (docs/decisions/035-web-phones.md). Only phones set this.
    public static let browser = Capabilities(rawValue: 1 << 6)
    /// The box belongs to a site and passes on grants that the site reissues. The phone keeps such grants.
    public static let siteGrants = Capabilities(rawValue: 1 << 7)
    /// The box passes messages between a phone and the box's site. The phone uses such a channel for nothing else.
    public static let siteEnrolment = Capabilities(rawValue: 1 << 8)
    /// The box belongs to a site, and sends a phone the site data that the phone lacks. Only boxes set this.
    public static let siteNews = Capabilities(rawValue: 1 << 9)
    /// The box tells a phone on request about other phones that its user has enrolled. Only boxes set this.
    public static let enrolmentNotices = Capabilities(rawValue: 1 << 10)
    /// The phone shows why its sessions ended. The box sends the reason.
    public static let sessionEnds = Capabilities(rawValue: 1 << 5)
}
