import Names

/// A box that this phone was enrolled at, or one of a site that it is of.
public final class KnownBox: Equatable, Sendable {
    /// Names the row; 16 random bytes.
    public let id: [UInt8]
    /// Four to six ASCII digits: an address that people read, not a key.
    public let boxID: [UInt8]
    /// The box's X25519 key, pinned at enrolment.
    public let boxKey: [UInt8]
    /// The Ed25519 key that signed the box's certificate, pinned at enrolment.
    public let authorityKey: [UInt8]
    /// Certificates with a lower serial are refused.
    public let highestSerial: UInt64
    public let user: [UInt8]
    public let label: [UInt8]
    public let mode: CredentialMode
    /// False while the administrator has not confirmed, or the answer was lost: the box may know this phone.
    public let confirmed: Bool
    public let hasCredential: Bool
    public let hasDeviceSecret: Bool
    /// The site whose key, grant and credential are used there; `id` is the site's row then. Nil: the phone was enrolled at the box.
    public let site: KnownSite?

    public init(
        id: [UInt8], boxID: [UInt8], boxKey: [UInt8], authorityKey: [UInt8], highestSerial: UInt64, user: [UInt8],
        label: [UInt8], mode: CredentialMode, confirmed: Bool, hasCredential: Bool, hasDeviceSecret: Bool,
        site: KnownSite? = nil
    ) {
        self.id = id
        self.boxID = boxID
        self.boxKey = boxKey
        self.authorityKey = authorityKey
        self.highestSerial = highestSerial
        self.user = user
        self.label = label
        self.mode = mode
        self.confirmed = confirmed
        self.hasCredential = hasCredential
        self.hasDeviceSecret = hasDeviceSecret
        self.site = site
    }

    public static func == (left: KnownBox, right: KnownBox) -> Bool {
        left === right
            || left.id == right.id && left.boxID == right.boxID && left.boxKey == right.boxKey
                && left.authorityKey == right.authorityKey && left.highestSerial == right.highestSerial
                && left.user == right.user && left.label == right.label && left.mode == right.mode
                && left.confirmed == right.confirmed && left.hasCredential == right.hasCredential
                && left.hasDeviceSecret == right.hasDeviceSecret && left.site == right.site
    }
}
