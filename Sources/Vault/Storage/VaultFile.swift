import Secrets
import VaultPort

/// The source of the 32 bytes that protect every key of a vault.
public enum VaultKeySource: Equatable, Sendable {
    /// `vault.key` beside the database, made at first use.
    case keyFile
    /// A file that another program provides, such as systemd's credential (LoadCredentialEncrypted=, systemd.exec(5)).
    case file(path: String)
}

/// The owner of a vault.
enum VaultRole: UInt8 {
    case box = 1
    case phone = 2

    var name: String { self == .box ? "box" : "phone" }
}

/// An open vault: the locked directory, the database, and its keys, checked against each other.
struct VaultFile: ~Copyable {
    // The database closes before the directory's lock is released, because properties end in their order.
    let database: Database
    let directory: StateDirectory
    /// The secret of the box or phone. It goes into the wrapping keys (docs/decisions/008-vault.md), and nowhere else.
    let secret: SecretBytes
    /// Derived from the secret; seals this vault's own keys.
    let sealingKey: SecretBytes

    /// Opens or makes the vault in `path`. A damaged database is set aside, and the error contains its new name.
    init(
        path: String, role: VaultRole, source: VaultKeySource, clock: any VaultClock,
        migrations: Migrations = Migrations()
    ) throws(VaultError) {
        let directory = try StateDirectory(path: path)
        let secret =
            switch source {
            case .keyFile: try KeyFile.loadOrMake(in: directory)
            case .file(let path): try KeyFile.load(path)
            }
        let sealingKey = try Self.deriveSealingKey(secret)
        if !directory.hasDatabase {
            // SQLite would discard a log without its database.
            guard !directory.hasLog else {
                throw .damaged(keptAs: directory.setAside(unixSeconds: clock.unixSeconds))
            }
            try directory.makeDatabase()
        }
        let database: Database
        do {
            database = try Self.openDatabase(directory, migrations)
        } catch .damaged {
            throw .damaged(keptAs: directory.setAside(unixSeconds: clock.unixSeconds))
        }
        try Self.check(sealingKey, role, against: database)
        // A crash may have happened between a wipe and the truncation of the log.
        try database.truncateLog()
        self.database = database
        self.directory = directory
        self.secret = secret
        self.sealingKey = sealingKey
    }

    private static func openDatabase(
        _ directory: borrowing StateDirectory, _ migrations: Migrations
    ) throws(VaultError) -> Database {
        let database = try Database(path: directory.databasePath, hasLog: directory.hasLog)
        guard try database.isWhole() else { throw .damaged(keptAs: directory.databasePath) }
        try migrations.check(database)
        try database.settle()
        try migrations.apply(to: database)
        return database
    }

    private static func deriveSealingKey(_ secret: borrowing SecretBytes) throws(VaultError) -> SecretBytes {
        do {
            return try KeyedHash(key: secret, context: "boxagent/seal/1").finish()
        } catch {
            throw .wrongKey(what: "the vault")
        }
    }

    /// Opens a stored value that needs the right key, so that a wrong key file is reported as such.
    private static func check(
        _ key: borrowing SecretBytes, _ role: VaultRole, against database: Database
    ) throws(VaultError) {
        let place = SealedColumn(table: "settings", column: "value", row: Array("key-check".utf8))
        let stored = try database.first("SELECT value FROM settings WHERE name = 'key-check'") { $0.bytes(0) }
        guard let stored else {
            let sealed = try place.seal(SecretBytes(copying: [role.rawValue]), key: key)
            try database.run("INSERT INTO settings (name, value) VALUES ('key-check', ?)", .blob(sealed))
            return
        }
        guard let opened = place.open(stored, key: key) else { throw .wrongKey(what: "the database") }
        guard opened.isEqual(to: SecretBytes(copying: [role.rawValue])) else {
            throw .unusable(path: database.path, reason: "it is not the vault of a \(role.name)")
        }
    }
}
