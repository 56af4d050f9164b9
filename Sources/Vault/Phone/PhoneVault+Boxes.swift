import Names
import Secrets
import VaultPort

/// The boxes that this phone knows.
extension PhoneVault {
    /// Maximum number of boxes that one phone remembers.
    public static let boxesLimit = 1_000

    public func boxes() throws(VaultError) -> [KnownBox] {
        try database.rows(
            """
            SELECT id, box_id, box_key, authority_key, highest_serial, user, label, mode, confirmed,
                credential IS NOT NULL, device_secret IS NOT NULL, usual_address
            FROM phone_boxes ORDER BY added_at, id
            """
        ) { (row) throws(VaultError) in try KnownBox(row) }
    }

    public func box(_ id: [UInt8]) throws(VaultError) -> KnownBox? {
        try database.first(
            """
            SELECT id, box_id, box_key, authority_key, highest_serial, user, label, mode, confirmed,
                credential IS NOT NULL, device_secret IS NOT NULL, usual_address
            FROM phone_boxes WHERE id = ?
            """, [.blob(id)]
        ) { (row) throws(VaultError) in try KnownBox(row) }
    }

    /// Makes this phone's keys for a box, before the box knows them. So an enrolment whose last answer was lost can be
    /// found again. The row is not confirmed yet.
    public func beginEnrolment(_ new: NewBox) throws(VaultError) -> KnownBox {
        guard (4...6).contains(new.boxID.count), new.boxKey.count == 32, new.authorityKey.count == 32,
            new.user.count <= UserName.byteLimit,
            new.label.count <= 64
        else {
            throw .invalid(what: "a box needs four to six digits, two keys of 32 bytes, a user and a label")
        }
        guard try database.integer("SELECT count(*) FROM phone_boxes") ?? 0 < Self.boxesLimit else {
            throw .invalid(what: "this phone already knows \(Self.boxesLimit) boxes, the most it can; forget some")
        }
        let id = randomBytes(count: 16)
        let key = try place("device_key", id).seal(
            SecretBytes(randomCount: X25519KeyPair.keyBytes), key: file.sealingKey)
        let secret = try place("device_secret", id).seal(
            SecretBytes(randomCount: SecretBounds.deviceSecretBytes), key: file.sealingKey)
        try database.run(
            """
            INSERT INTO phone_boxes (id, box_id, box_key, authority_key, highest_serial, user, label, mode, confirmed,
                device_key, device_secret, added_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?, ?)
            """,
            .blob(id), .blob(new.boxID), .blob(new.boxKey), .blob(new.authorityKey),
            .integer(Int64(clamping: new.serial)), .blob(new.user), .blob(new.label), .blob(key), .blob(secret),
            .integer(clock.unixSeconds))
        guard let box = try box(id) else { throw .notFound(what: "box") }
        return box
    }

    /// Sets the phone's own name at a box: at most 64 bytes.
    public func setLabel(_ label: [UInt8], of id: [UInt8]) throws(VaultError) -> KnownBox {
        guard label.count <= 64 else { throw .invalid(what: "a label has at most 64 bytes") }
        try database.run("UPDATE phone_boxes SET label = ? WHERE id = ?", .blob(label), .blob(id))
        guard let box = try box(id) else { throw .notFound(what: "box") }
        return box
    }

    /// Notes that the box has enrolled this phone, and deletes older rows of the same box. User: at most 255 bytes.
    public func confirmEnrolment(_ id: [UInt8], user: [UInt8], mode: CredentialMode) throws(VaultError) {
        guard user.count <= UserName.byteLimit else {
            throw .invalid(what: "a user name has at most \(UserName.byteLimit) bytes")
        }
        guard let box = try box(id) else { throw .notFound(what: "box") }
        try database.transaction { () throws(VaultError) in
            try database.run("DELETE FROM phone_boxes WHERE box_key = ? AND id <> ?", .blob(box.boxKey), .blob(id))
            try database.run(
                "UPDATE phone_boxes SET confirmed = 1, user = ?, mode = ? WHERE id = ?", .blob(user),
                .integer(Int64(mode.rawValue)), .blob(id))
        }
        try database.truncateLog()
    }

    /// Deletes a box and all data about it.
    public func forget(_ id: [UInt8]) throws(VaultError) {
        let changed = try database.run("DELETE FROM phone_boxes WHERE id = ?", .blob(id))
        guard changed == 1 else { throw .notFound(what: "box") }
        try database.truncateLog()
        try file.directory.destroySetAside()
    }

    /// Notes the serial and digits of a certificate; lower serials are refused from now on.
    public func raiseSerial(_ id: [UInt8], to serial: UInt64, boxID: [UInt8]) throws(VaultError) {
        try database.run(
            "UPDATE phone_boxes SET highest_serial = ?, box_id = ? WHERE id = ? AND highest_serial < ?",
            .integer(Int64(clamping: serial)), .blob(boxID), .blob(id), .integer(Int64(clamping: serial)))
    }

    /// Notes the radio address at which the box was found alone: at most 256 bytes, or none to forget it.
    public func noteAddress(_ address: [UInt8], of id: [UInt8]) throws(VaultError) {
        guard address.count <= 256 else { throw .invalid(what: "an address has at most 256 bytes") }
        try database.run("UPDATE phone_boxes SET usual_address = ? WHERE id = ?", .blob(address), .blob(id))
    }
}
