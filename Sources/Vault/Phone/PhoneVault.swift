import PasswordHashing
import Secrets
import VaultPort

/// The vault of a phone: its boxes, its keys there, and phone-held credentials.
///
/// A phone of a site has one key and one credential for all its boxes, in a row that is used like a box's row.
///
/// Device keys and device secrets are sealed under the phone's own key. Credentials are sealed under a key that the
/// phone's key and the PIN, if set, wrap. If the phone's key is a file, an attacker with a copy of the disk can try
/// PINs uncounted. A platform key store prevents that.
public actor PhoneVault {
    let file: VaultFile
    let clock: any VaultClock
    let hasher: any PINHasher
    /// The policy of the phone's own PIN, which no administrator sets. The phone could not enforce delays.
    public static let attemptPolicy = AttemptPolicy()
    var cost = PasswordHashCost.minimum
    /// One PIN protects all credentials, so its tries are serialised.
    var turns = Turns<Int>()

    private let executor: any SerialExecutor

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    var database: Database { file.database }

    /// Opens or makes the vault in `directory`, and completes a wipe that a crash interrupted.
    public init(
        directory: String, keySource: VaultKeySource = .keyFile, executor: any SerialExecutor,
        clock: any VaultClock = SystemVaultClock(), hasher: any PINHasher = InlinePINHasher()
    ) throws(VaultError) {
        let file = try VaultFile(path: directory, role: .phone, source: keySource, clock: clock)
        try PhoneLockRow.finishWipe(in: file)
        self.file = file
        self.clock = clock
        self.hasher = hasher
        self.executor = executor
    }

    /// Sets the cost of hashing each newly set PIN.
    public func useCost(_ new: PasswordHashCost) {
        cost = new
    }

    // MARK: - This phone's keys at a box

    /// Returns this phone's X25519 private key for a box or a site.
    public func deviceKey(_ id: [UInt8]) throws(VaultError) -> HeldSecret {
        let box = try database.first("SELECT device_key FROM phone_boxes WHERE id = ?", [.blob(id)]) { $0.bytes(0) }
        if let box { return try open(box, place("device_key", id)) }
        let site = try database.first("SELECT device_key FROM phone_sites WHERE id = ?", [.blob(id)]) { $0.bytes(0) }
        guard let site else { throw .notFound(what: "box") }
        return try open(site, sitePlace("device_key", id))
    }

    /// Returns the 32 bytes that this phone adds to the key of its box-held credential; nil if they were destroyed.
    public func deviceSecret(_ id: [UInt8]) throws(VaultError) -> HeldSecret? {
        let stored = try database.first("SELECT device_secret FROM phone_boxes WHERE id = ?", [.blob(id)]) {
            $0.optionalBytes(0)
        }
        guard let sealed = stored ?? nil else { return nil }
        return try open(sealed, place("device_secret", id))
    }

    /// Destroys the device secret after `wiped` or `revoked`, so that data that the box may still hold cannot be
    /// opened.
    public func destroyDeviceSecret(_ id: [UInt8]) throws(VaultError) {
        try database.run("UPDATE phone_boxes SET device_secret = NULL WHERE id = ?", .blob(id))
        try database.truncateLog()
        try file.directory.destroySetAside()
    }

    /// Makes a new device secret, for storing a credential again after a wipe.
    public func renewDeviceSecret(_ id: [UInt8]) throws(VaultError) -> HeldSecret {
        let secret = HeldSecret(SecretBytes(randomCount: SecretBounds.deviceSecretBytes))
        let sealed = try place("device_secret", id).seal(secret.bytes, key: file.sealingKey)
        let changed = try database.run(
            "UPDATE phone_boxes SET device_secret = ? WHERE id = ?", .blob(sealed), .blob(id))
        guard changed == 1 else { throw .notFound(what: "box") }
        try database.truncateLog()
        return secret
    }

    private func open(_ sealed: [UInt8], _ place: SealedColumn) throws(VaultError) -> HeldSecret {
        guard let opened = place.open(sealed, key: file.sealingKey) else { throw .wrongKey(what: "this phone's key") }
        return HeldSecret(opened)
    }

    func place(_ column: StaticString, _ id: [UInt8]) -> SealedColumn {
        SealedColumn(table: "phone_boxes", column: column, row: id)
    }
}
