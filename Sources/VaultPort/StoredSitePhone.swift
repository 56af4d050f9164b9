import Names

/// A phone of the box's site that a grant admitted, as a vault stores it beside the device.
public struct StoredSitePhone: Equatable, Sendable {
    /// Maximum number of site phones that a box stores.
    public static let limit = 4_096
    /// The label of every site phone's device.
    public static let label = Array("site phone".utf8)

    public let device: DeviceID
    /// X25519 key, 32 bytes.
    public let publicKey: [UInt8]
    /// The account in the grant.
    public let user: [UInt8]
    /// The account's number at this box, which no site learns; nil if it is not known.
    public let uid: UInt32?
    /// The public key of the issuer that signed the grant, then the grant: 183 to 260 bytes, verified before storing.
    public let kept: [UInt8]

    public init(device: DeviceID, publicKey: [UInt8], user: [UInt8], uid: UInt32? = nil, kept: [UInt8]) {
        self.device = device
        self.publicKey = publicKey
        self.user = user
        self.uid = uid
        self.kept = kept
    }
}
