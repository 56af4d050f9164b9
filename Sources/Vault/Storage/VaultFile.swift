import Glibc
import Secrets

/// Where the 32 bytes come from that every key of a vault hangs on.
public enum VaultKeySource: Equatable, Sendable {
    /// `vault.key` beside the database, made on first use.
    case keyFile
    /// A file that somebody else provides, such as systemd's credential (LoadCredentialEncrypted=, systemd.exec(5)).
    case file(path: String)
}

/// An open vault: the database and the key, checked against each other.
struct VaultFile: ~Copyable {
    let database: Database
    let key: SecretBytes

    /// Opens or makes the vault in `path`. A damaged database is set aside and named in the error.
    init(path: String, source: VaultKeySource, clock: any VaultClock) throws(VaultError) {
        let directory = try StateDirectory(path: path)
        let key = try Self.loadKey(directory, source)
        try Self.makeFile(directory.databasePath)
        let database: Database
        do {
            database = try Self.openDatabase(directory.databasePath)
        } catch .damaged {
            throw .damaged(keptAs: directory.setAside(unixSeconds: clock.unixSeconds))
        }
        try Self.check(key, against: database)
        self.database = database
        self.key = key
    }

    private static func loadKey(
        _ directory: StateDirectory, _ source: VaultKeySource
    ) throws(VaultError) -> SecretBytes {
        switch source {
        case .keyFile: try directory.loadOrMakeKey()
        case .file(let path): try StateDirectory.readKey(path)
        }
    }

    private static func openDatabase(_ path: String) throws(VaultError) -> Database {
        let database = try Database(path: path)
        try database.configure()
        guard try database.isWhole() else { throw .damaged(keptAs: path) }
        try Migrations.apply(to: database)
        return database
    }

    /// SQLite would make the file with the process's umask.
    private static func makeFile(_ path: String) throws(VaultError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            switch errno {
            case ENOSPC: throw .diskFull
            case EROFS, EACCES: throw .readOnly(path: path)
            default: throw .unusable(path: path, reason: String(cString: strerror(errno)))
            }
        }
        close(descriptor)
    }

    /// A value that opens with the right key only, so that a wrong key file is named as such.
    private static func check(_ key: borrowing SecretBytes, against database: Database) throws(VaultError) {
        let place = SealedColumn(table: "settings", column: "value", row: Array("key-check".utf8))
        let stored = try database.rows("SELECT value FROM settings WHERE name = 'key-check'") { $0.bytes(0) }.first
        if let stored {
            guard place.open(stored, key: key) != nil else { throw .wrongKey(what: "the database") }
            return
        }
        let sealed = try place.seal(SecretBytes(count: 32), key: key)
        try database.run("INSERT INTO settings (name, value) VALUES ('key-check', ?)", .blob(sealed))
    }
}
