import Names

/// An enrolled device, as the box knows it.
public struct DeviceRecord: Equatable, Sendable {
    public enum State: Int64, Sendable {
        case active = 1
        case revoked = 2
    }

    public let id: DeviceID
    /// X25519, 32 bytes.
    public let publicKey: [UInt8]
    /// PAM's user name, as `UserName.isName` has it.
    public let user: [UInt8]
    /// At most 64 bytes.
    public let label: [UInt8]
    public let mode: CredentialMode
    public let state: State
    public let enrolledAt: Int64
    public let lastUsedAt: Int64?

    public init(
        id: DeviceID, publicKey: [UInt8], user: [UInt8], label: [UInt8], mode: CredentialMode, state: State,
        enrolledAt: Int64, lastUsedAt: Int64?
    ) {
        self.id = id
        self.publicKey = publicKey
        self.user = user
        self.label = label
        self.mode = mode
        self.state = state
        self.enrolledAt = enrolledAt
        self.lastUsedAt = lastUsedAt
    }
}
