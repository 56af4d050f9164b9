import Names

/// A device in the box's vault.
public struct DeviceRecord: Equatable, Sendable {
    public enum State: Int64, Sendable {
        case active = 1
        case revoked = 2
    }

    public let id: DeviceID
    /// X25519 key, 32 bytes.
    public let publicKey: [UInt8]
    /// PAM's user name, valid by `UserName.isName`.
    public let user: [UInt8]
    /// At most 64 bytes.
    public let label: [UInt8]
    public let mode: CredentialMode
    /// True if the device is a page in a browser (docs/decisions/035-web-phones.md).
    public let isWeb: Bool
    /// True if a grant of the box's site admitted the device (docs/reference/site-protocol.md, 11), which was not
    /// enrolled here.
    public let isOfSite: Bool
    public let state: State
    public let enrolledAt: Int64
    public let lastUsedAt: Int64?

    public init(
        id: DeviceID, publicKey: [UInt8], user: [UInt8], label: [UInt8], mode: CredentialMode, isWeb: Bool = false,
        isOfSite: Bool = false, state: State, enrolledAt: Int64, lastUsedAt: Int64?
    ) {
        self.id = id
        self.publicKey = publicKey
        self.user = user
        self.label = label
        self.mode = mode
        self.isWeb = isWeb
        self.isOfSite = isOfSite
        self.state = state
        self.enrolledAt = enrolledAt
        self.lastUsedAt = lastUsedAt
    }
}
