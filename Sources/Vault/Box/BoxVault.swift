import PasswordHashing
import AuditLog
import Names
import Secrets
import VaultPort

/// The vault of a box: its keys, enrolled devices, box-held credentials, deadlines and the audit log.
///
/// One writer. Its calls are short and synchronous inside the actor, but for Argon2, which an injected hasher runs.
public actor BoxVault {
    let file: VaultFile
    let clock: any VaultClock
    let hasher: any PINHasher
    var attemptPolicy = AttemptPolicy()
    /// What the hash of a PIN that is stored from now on costs; it is kept with each credential.
    var cost = PasswordHashCost.minimum
    /// The digits that people see: four to six in ASCII, those of its site as long as the box belongs to one.
    public internal(set) var boxID: [UInt8]
    /// The digits that the keys of box-held credentials are derived from, whatever the box is called later.
    let drawnID: [UInt8]
    var directory = DeviceDirectory()
    /// Tries are serialised for each credential.
    var turns = Turns<DeviceID>()
    /// When entries of the audit log are closed to a segment.
    var segmentLimits = AuditSegmentLimits()
    /// Hears of each entry of the audit log, and the head that it makes, once it is durable.
    let journal: @Sendable (AuditHead, AuditEvent) -> Void

    private let executor: any SerialExecutor

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    var database: Database { file.database }

    /// Opens or makes the vault in `directory`, and finishes what a crash left half done.
    ///
    /// - Parameter boxID: Four to six ASCII digits that the box shall have; nil for those drawn at its first start.
    public init(
        directory: String, keySource: VaultKeySource = .keyFile, boxID: [UInt8]? = nil, executor: any SerialExecutor,
        clock: any VaultClock = SystemVaultClock(), hasher: any PINHasher = InlinePINHasher(),
        journal: @escaping @Sendable (AuditHead, AuditEvent) -> Void = { _, _ in }
    ) throws(VaultError) {
        let file = try VaultFile(path: directory, role: .box, source: keySource, clock: clock)
        let identity = try BoxIdentityRow.loadOrMake(
            in: file, configured: boxID, unixSeconds: clock.unixSeconds)
        self.boxID = identity.boxID
        drawnID = identity.drawnID
        try Self.forgetGoneSitePhones(in: file)
        try CredentialErasure.finishAll(in: file, unixSeconds: clock.unixSeconds, journal: journal)
        var directory = DeviceDirectory()
        let records = try file.database.rows(
            "SELECT id, public_key, user, label, mode, state, enrolled_at, last_used_at, web, site FROM devices"
        ) { (row) throws(VaultError) in try DeviceRecord(row) }
        for record in records { directory.update(record) }
        self.directory = directory
        self.file = file
        self.clock = clock
        self.hasher = hasher
        self.executor = executor
        self.journal = journal
    }

    /// The administrator may change it while the agent runs: it holds for the next try of every credential.
    public func setPolicy(_ new: AttemptPolicy) {
        attemptPolicy = new
    }

    /// The box's keys. The caller holds them for as long as it runs.
    public func withKeys<Result: Sendable>(
        _ body: (consuming X25519KeyPair, borrowing Ed25519KeyPair, _ serial: UInt64) throws(VaultError) -> Result
    ) throws(VaultError) -> Result {
        let row = try BoxIdentityRow.read(in: file)
        do {
            let authority = try Ed25519KeyPair(seed: row.openAuthoritySeed(file.sealingKey))
            return try body(try X25519KeyPair(privateKey: row.openStaticKey(file.sealingKey)), authority, row.serial)
        } catch let error as VaultError {
            throw error
        } catch {
            throw .wrongKey(what: "the box's key")
        }
    }

    /// The digits that people see where the box belongs to no site.
    public func ownBoxID() throws(VaultError) -> [UInt8] { try BoxIdentityRow.read(in: file).ownID }

    /// Whether the database file is whole; reads all of it.
    public func checkIntegrity() throws(VaultError) {
        guard try database.isWhole() else { throw .damaged(keptAs: database.path) }
    }

    // MARK: - Cost of a PIN

    /// The measured cost of a PIN hash; nil until it was measured on this box.
    public func storedCost() throws(VaultError) -> PasswordHashCost? {
        let stored = try database.first("SELECT value FROM settings WHERE name = 'pin-cost'") { $0.bytes(0) }
        guard let stored, stored.count == 8 else { return nil }
        let number = { (range: Range<Int>) in stored[range].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
        return try? PasswordHashCost(memoryKiB: number(0..<4), passes: number(4..<8))
    }

    public func setCost(_ new: PasswordHashCost) throws(VaultError) {
        let bytes = [new.memoryKiB, new.passes].flatMap { value in
            (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * $0)) }
        }
        try database.run("INSERT OR REPLACE INTO settings (name, value) VALUES ('pin-cost', ?)", .blob(bytes))
        cost = new
    }

    public func useCost(_ stored: PasswordHashCost) {
        cost = stored
    }
}
