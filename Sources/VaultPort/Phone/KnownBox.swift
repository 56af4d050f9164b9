import Names

/// A box at which this phone was enrolled, or a box of the phone's site.
public final class KnownBox: Equatable, Sendable {
    /// The row's ID; 16 random bytes.
    public let id: [UInt8]
    /// Four to six ASCII digits: an address for people, not a key.
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
    /// False until the administrator confirms, or if the answer was lost. In both cases the box may know this phone.
    public let confirmed: Bool
    public let hasCredential: Bool
    public let hasDeviceSecret: Bool
    /// The radio address, as `Advertisement.address`, at which the box was found without another box that has its key.
    /// Empty if it is not known. Not a part of the box's identity, so it does not count in `==`.
    public let usualAddress: [UInt8]
    /// The site whose key, grant and credential are used; `id` is then the site's row. Nil for an enrolment at the box.
    public let site: KnownSite?

    public init(
        id: [UInt8], boxID: [UInt8], boxKey: [UInt8], authorityKey: [UInt8], highestSerial: UInt64, user: [UInt8],
        label: [UInt8], mode: CredentialMode, confirmed: Bool, hasCredential: Bool, hasDeviceSecret: Bool,
        usualAddress: [UInt8] = [], site: KnownSite? = nil
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
        self.usualAddress = usualAddress
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
