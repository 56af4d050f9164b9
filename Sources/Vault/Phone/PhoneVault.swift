import PasswordHashing
import Secrets
import VaultPort

/// The vault of a phone: the boxes it knows, its keys there, and the credentials it holds itself.
///
/// A phone of a site has a key and a credential for all of its boxes, in a row that is used as a box's is.
///
/// Device keys and device secrets are sealed under the phone's own key; credentials under a key that is wrapped with
/// the phone's key and, where one is set, the PIN. Where the phone's key is a file, somebody who copied the disk can
/// try PINs without being counted; a platform key store closes that.
public actor PhoneVault {
    let file: VaultFile
    let clock: any VaultClock
    let hasher: any PINHasher
    /// No administrator decides for a phone's own PIN. It costs no time: nothing on the phone could enforce it.
    public static let attemptPolicy = AttemptPolicy()
    var cost = PasswordHashCost.minimum
    /// All credentials hang on one PIN: its tries are serialised.
    var turns = Turns<Int>()

    private let executor: any SerialExecutor

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    var database: Database { file.database }

    /// Opens or makes the vault in `directory`, and finishes a wipe that a crash left half done.
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

    /// What the hash of a PIN that is set from now on costs.
    public func useCost(_ new: PasswordHashCost) {
        cost = new
    }

    // MARK: - This phone's keys at a box

    /// This phone's X25519 private key for a box, or for a site.
    public func deviceKey(_ id: [UInt8]) throws(VaultError) -> HeldSecret {
        let box = try database.first("SELECT device_key FROM phone_boxes WHERE id = ?", [.blob(id)]) { $0.bytes(0) }
        if let box { return try open(box, place("device_key", id)) }
        let site = try database.first("SELECT device_key FROM phone_sites WHERE id = ?", [.blob(id)]) { $0.bytes(0) }
        guard let site else { throw .notFound(what: "box") }
        return try open(site, sitePlace("device_key", id))
    }

    /// The 32 bytes that this phone adds to the key of what the box holds; nil when they were destroyed.
    public func deviceSecret(_ id: [UInt8]) throws(VaultError) -> HeldSecret? {
        let stored = try database.first("SELECT device_secret FROM phone_boxes WHERE id = ?", [.blob(id)]) {
            $0.optionalBytes(0)
        }
        guard let sealed = stored ?? nil else { return nil }
        return try open(sealed, place("device_secret", id))
    }

    /// After `wiped` and `revoked`: what the box may still hold opens no more.
    public func destroyDeviceSecret(_ id: [UInt8]) throws(VaultError) {
        try database.run("UPDATE phone_boxes SET device_secret = NULL WHERE id = ?", .blob(id))
        try database.truncateLog()
        try file.directory.destroySetAside()
    }

    /// A new device secret, for storing a credential anew after a wipe.
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
