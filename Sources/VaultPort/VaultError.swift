/// Why the vault did not do what it was asked. Says what is wrong and what to do next; carries no secret.
public indirect enum VaultError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A file or directory that others could use, or that this process may not; `cure` is the command that mends it.
    case wrongPermissions(path: String, reason: String, cure: String)
    /// Something that should be a plain file or directory is not there, or is something else.
    case unusable(path: String, reason: String)
    /// Another process has the vault open.
    case locked(path: String)
    /// The database was made by a newer program; it is left untouched.
    case newerSchema(found: Int, known: Int)
    /// A migration that was applied reads differently today.
    case changedMigration(name: String)
    /// The database is no database, or is damaged; it was set aside under this name, nothing was overwritten.
    case damaged(keptAs: String)
    case readOnly(path: String)
    case diskFull
    /// A sealed value does not open: another key file, or bytes that were moved or changed.
    case wrongKey(what: String)
    /// Argon2 could not have its memory: no attempt was spent.
    case outOfMemory
    case notFound(what: String)
    case alreadyEnrolled
    /// Too many tries of PINs wait already, and nothing was spent; or another one counted during this one.
    case busy
    /// The caller's task was cancelled while it waited; nothing was spent.
    case cancelled
    case invalid(what: String)
    /// Anything else that SQLite reports, by its extended result code (sqlite.org/rescode.html).
    case database(code: Int32)

    public var description: String {
        switch self {
        case .wrongPermissions(let path, let reason, let cure): "\(path) \(reason); run: \(cure)"
        case .unusable(let path, let reason): "\(path) cannot be used: \(reason)"
        case .locked(let path): "\(path) is in use by another process; end it first"
        case .newerSchema(let found, let known):
            """
            the database has schema \(found), this program knows \(known); install the newer program (nothing was \
            changed)
            """
        case .changedMigration(let name):
            "migration \(name) differs from the one that was applied; install the program that created this database"
        case .damaged(let name):
            """
            the database is damaged and is kept as \(name), until a credential is wiped or a phone revoked; restore a \
            backup, or start again to create a new one
            """
        case .readOnly(let path): "\(path) cannot be written; check the mount and the owner"
        case .diskFull: "the disk is full; free some space and try again (nothing was lost)"
        case .wrongKey(let what): "\(what) does not open with this vault's key; restore the key file that belongs to it"
        case .outOfMemory: "there is not enough memory to check a PIN; no attempt was spent"
        case .notFound(let what): "there is no such \(what)"
        case .alreadyEnrolled: "this phone is already enrolled; revoke it first"
        case .busy: "too many PINs are being tried at once; try again in a moment"
        case .cancelled: "the caller gave up; no attempt was spent"
        case .invalid(let what): what
        case .database(let code): "the database reports error \(code); run 'boxagent doctor'"
        }
    }
}
