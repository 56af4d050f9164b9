/// Who holds a device's credential.
public enum CredentialMode: Int64, Sendable {
    /// The phone's own vault; it sends the credential at each login.
    case phoneHeld = 0
    /// The box; the phone has nothing but keys.
    case boxHeld = 1
}

/// An enrolled device, as the box knows it.
public struct DeviceRecord: Equatable, Sendable {
    public enum State: Int64, Sendable {
        case active = 1
        case revoked = 2
    }

    public let id: DeviceID
    /// X25519, 32 bytes.
    public let publicKey: [UInt8]
    /// PAM's user name, 1 to 255 bytes.
    public let user: [UInt8]
    /// At most 64 bytes.
    public let label: [UInt8]
    public let mode: CredentialMode
    public let state: State
    public let enrolledAt: Int64
    public let lastUsedAt: Int64?

    init(
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

    /// From a row of id, public_key, user, label, mode, state, enrolled_at, last_used_at.
    init(_ row: borrowing Statement) throws(VaultError) {
        guard let id = DeviceID(bytes: row.bytes(0)), let mode = CredentialMode(rawValue: row.integer(4)),
            let state = State(rawValue: row.integer(5))
        else { throw .damaged(keptAs: row.path) }
        self.id = id
        publicKey = row.bytes(1)
        user = row.bytes(2)
        label = row.bytes(3)
        self.mode = mode
        self.state = state
        enrolledAt = row.integer(6)
        lastUsedAt = row.optionalInteger(7)
    }
}
