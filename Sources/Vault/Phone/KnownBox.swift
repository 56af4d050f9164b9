import VaultPort

/// A box that this phone was enrolled at.
public struct KnownBox: Equatable, Sendable {
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

    /// From a row of id, box_id, box_key, authority_key, highest_serial, user, label, mode, confirmed, whether there
    /// is a credential, whether there is a device secret.
    init(_ row: borrowing Statement) throws(VaultError) {
        guard let mode = CredentialMode(rawValue: row.integer(7)) else { throw .damaged(keptAs: row.path) }
        id = row.bytes(0)
        boxID = row.bytes(1)
        boxKey = row.bytes(2)
        authorityKey = row.bytes(3)
        highestSerial = UInt64(clamping: row.integer(4))
        user = row.bytes(5)
        label = row.bytes(6)
        self.mode = mode
        confirmed = row.integer(8) == 1
        hasCredential = row.integer(9) == 1
        hasDeviceSecret = row.integer(10) == 1
    }
}

/// What an enrolment code says of a box.
public struct NewBox: Equatable, Sendable {
    public var boxID: [UInt8]
    public var boxKey: [UInt8]
    public var authorityKey: [UInt8]
    public var serial: UInt64
    public var user: [UInt8]
    public var label: [UInt8]

    public init(
        boxID: [UInt8], boxKey: [UInt8], authorityKey: [UInt8], serial: UInt64, user: [UInt8], label: [UInt8]
    ) {
        self.boxID = boxID
        self.boxKey = boxKey
        self.authorityKey = authorityKey
        self.serial = serial
        self.user = user
        self.label = label
    }
}
