import PasswordHashing
import AuditLog
import Names
import Secrets
import VaultPort

/// The vault of a box: its keys, enrolled devices, box-held credentials, deadlines and the audit log.
///
/// There is one writer. Calls are short and synchronous inside the actor, except Argon2, which an injected hasher runs.
public actor BoxVault {
    let file: VaultFile
    let clock: any VaultClock
    let hasher: any PINHasher
    var attemptPolicy = AttemptPolicy()
    /// Cost of hashing each newly stored PIN; stored with its credential.
    var cost = PasswordHashCost.minimum
    /// The digits that people see: four to six in ASCII, given by the site while the box belongs to one.
    public internal(set) var boxID: [UInt8]
    /// The digits from which the keys of box-held credentials are derived. They never change.
    let drawnID: [UInt8]
    var directory = DeviceDirectory()
    /// Serialises the tries of each credential.
    var turns = Turns<DeviceID>()
    /// Devices that were refused since the start because the account's uid has changed. Each gets one audit entry.
    var refusedUsers: Set<DeviceID> = []
    /// The limits at which audit entries are closed to a segment.
    var segmentLimits = AuditSegmentLimits()
    /// Called with each durable audit entry and the head that it makes.
    let journal: @Sendable (AuditHead, AuditEvent) -> Void

    private let executor: any SerialExecutor

    public nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    var database: Database { file.database }

    /// Opens or makes the vault in `directory`, and completes work that a crash interrupted.
    ///
    /// - Parameter boxID: Four to six ASCII digits for the box; nil selects those drawn at its first start.
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

    /// Sets the policy from the next try of every credential on. The administrator may change it while the agent runs.
    public func setPolicy(_ new: AttemptPolicy) {
        attemptPolicy = new
    }

    /// Passes the box's keys to `body`, so that the caller can keep them for as long as it runs.
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

    /// Returns the digits that people see while the box belongs to no site.
    public func ownBoxID() throws(VaultError) -> [UInt8] { try BoxIdentityRow.read(in: file).ownID }

    /// Checks that the database file is whole; reads all of it.
    public func checkIntegrity() throws(VaultError) {
        guard try database.isWhole() else { throw .damaged(keptAs: database.path) }
    }

    // MARK: - Cost of a PIN

    /// Returns the measured cost of a PIN hash; nil until it is measured on this box.
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
