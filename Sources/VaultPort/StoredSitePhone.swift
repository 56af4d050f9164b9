import Names

/// A phone of the box's site that a grant has let in, as a vault keeps it beside the device.
public struct StoredSitePhone: Equatable, Sendable {
    /// Most that a box keeps.
    public static let limit = 4_096
    /// What its device is called, in bytes.
    public static let label = Array("site phone".utf8)

    public let device: DeviceID
    /// X25519, 32 bytes.
    public let publicKey: [UInt8]
    /// The account that the grant names.
    public let user: [UInt8]
    /// The public key of the issuer that signed the grant, then the grant: 183 to 260 bytes, verified before they came here.
    public let kept: [UInt8]

    public init(device: DeviceID, publicKey: [UInt8], user: [UInt8], kept: [UInt8]) {
        self.device = device
        self.publicKey = publicKey
        self.user = user
        self.kept = kept
    }
}
