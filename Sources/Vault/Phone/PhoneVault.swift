import Secrets

/// The vault of a phone: the boxes it knows, its keys there, and the credentials it holds itself.
///
/// Device keys and device secrets are sealed under the phone's own key; credentials under a key that is wrapped with
/// the phone's key and, where one is set, the PIN. Where the phone's key is a file, somebody who copied the disk can
/// try PINs without being counted; a platform key store closes that.
public actor PhoneVault {
    let file: VaultFile
    let clock: any VaultClock
    let hasher: any PINHasher
    var cost = PasswordHashCost.minimum
    var turns = Turns<Int>()

    private let executor: any SerialExecutor

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    var database: Database { file.database }

    /// Opens or makes the vault in `directory`, and finishes a wipe that a crash left half done.
    public init(
        directory: String, keySource: VaultKeySource = .keyFile, executor: any SerialExecutor,
        clock: any VaultClock = SystemVaultClock(), hasher: any PINHasher = InlinePINHasher()
    ) throws(VaultError) {
        let file = try VaultFile(path: directory, source: keySource, clock: clock)
        try PhoneLockRow.finishWipe(in: file.database)
        self.file = file
        self.clock = clock
        self.hasher = hasher
        self.executor = executor
    }

    /// What the hash of a PIN that is set from now on costs.
    public func useCost(_ new: PasswordHashCost) {
        cost = new
    }

    // MARK: - Boxes

    public func boxes() throws(VaultError) -> [KnownBox] {
        try database.rows("SELECT \(KnownBox.columns) FROM phone_boxes ORDER BY added_at, id") {
            (row) throws(VaultError) in try KnownBox(row)
        }
    }

    public func box(_ id: [UInt8]) throws(VaultError) -> KnownBox? {
        try database.rows("SELECT \(KnownBox.columns) FROM phone_boxes WHERE id = ?", [.blob(id)], limit: 1) {
            (row) throws(VaultError) in try KnownBox(row)
        }.first
    }

    /// Makes this phone's keys for a box, before the box hears of them: an enrolment whose last answer is lost is
    /// found again. Not confirmed yet.
    public func beginEnrolment(_ new: NewBox) throws(VaultError) -> KnownBox {
        let id = randomBytes(count: 16)
        let key = try place("device_key", id).seal(SecretBytes(randomCount: 32), key: file.key)
        let secret = try place("device_secret", id).seal(SecretBytes(randomCount: 32), key: file.key)
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

    /// The box has this phone among its devices; older rows of the same box go.
    public func confirmEnrolment(_ id: [UInt8], user: [UInt8], mode: CredentialMode) throws(VaultError) {
        guard let box = try box(id) else { throw .notFound(what: "box") }
        try database.transaction { () throws(VaultError) in
            try database.run("DELETE FROM phone_boxes WHERE box_key = ? AND id <> ?", .blob(box.boxKey), .blob(id))
            try database.run(
                "UPDATE phone_boxes SET confirmed = 1, user = ?, mode = ? WHERE id = ?", .blob(user),
                .integer(mode.rawValue), .blob(id))
        }
    }

    /// Forgets a box and everything kept for it.
    public func forget(_ id: [UInt8]) throws(VaultError) {
        let changed = try database.run("DELETE FROM phone_boxes WHERE id = ?", .blob(id))
        guard changed == 1 else { throw .notFound(what: "box") }
        try database.truncateLog()
    }

    /// A certificate with this serial was seen; lower ones are refused from now on.
    public func raiseSerial(_ id: [UInt8], to serial: UInt64) throws(VaultError) {
        try database.run(
            "UPDATE phone_boxes SET highest_serial = max(highest_serial, ?) WHERE id = ?",
            .integer(Int64(clamping: serial)), .blob(id))
    }

    /// This phone's X25519 private key for a box.
    public func deviceKey(_ id: [UInt8]) throws(VaultError) -> HeldSecret {
        guard let key = try open("device_key", id) else { throw .notFound(what: "box") }
        return key
    }

    /// The 32 bytes that this phone adds to the key of what the box holds; nil when they were destroyed.
    public func deviceSecret(_ id: [UInt8]) throws(VaultError) -> HeldSecret? {
        try open("device_secret", id)
    }

    /// After `wiped` and `revoked`: what the box may still hold opens no more.
    public func destroyDeviceSecret(_ id: [UInt8]) throws(VaultError) {
        try database.run("UPDATE phone_boxes SET device_secret = NULL WHERE id = ?", .blob(id))
        try database.truncateLog()
    }

    /// A new device secret, for storing a credential anew after a wipe.
    public func renewDeviceSecret(_ id: [UInt8]) throws(VaultError) -> HeldSecret {
        let secret = HeldSecret(SecretBytes(randomCount: 32))
        let sealed = try place("device_secret", id).seal(secret.bytes, key: file.key)
        let changed = try database.run(
            "UPDATE phone_boxes SET device_secret = ? WHERE id = ?", .blob(sealed), .blob(id))
        guard changed == 1 else { throw .notFound(what: "box") }
        return secret
    }

    private func open(_ column: StaticString, _ id: [UInt8]) throws(VaultError) -> HeldSecret? {
        let stored = try database.rows("SELECT \(column) FROM phone_boxes WHERE id = ?", [.blob(id)], limit: 1) {
            $0.optionalBytes(0)
        }
        guard let sealed = stored.first ?? nil else { return nil }
        guard let opened = place(column, id).open(sealed, key: file.key) else {
            throw .wrongKey(what: "this phone's key")
        }
        return HeldSecret(opened)
    }

    func place(_ column: StaticString, _ id: [UInt8]) -> SealedColumn {
        SealedColumn(table: "phone_boxes", column: column, row: id)
    }
}
