/// The reason why the vault failed. States the problem and the next step; contains no secret.
public indirect enum VaultError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Others can use a file or directory, or this process cannot; `cure` is the command that fixes it.
    case wrongPermissions(path: String, reason: String, cure: String)
    /// A plain file or directory was expected, but it is missing or something else.
    case unusable(path: String, reason: String)
    /// Another process has the vault open.
    case locked(path: String)
    /// A newer program made the database; it is left unchanged.
    case newerSchema(found: Int, known: Int)
    /// An applied migration has a different text today.
    case changedMigration(name: String)
    /// The file is not a database, or is damaged. It was renamed to this name, and nothing was overwritten.
    case damaged(keptAs: String)
    case readOnly(path: String)
    case diskFull
    /// A sealed value does not open: the key file is another one, or bytes were moved or changed.
    case wrongKey(what: String)
    /// Argon2 could not get its memory; no attempt was spent.
    case outOfMemory
    case notFound(what: String)
    case alreadyEnrolled
    /// Too many PIN tries already wait, and nothing was spent. Or another try counted during this one. Or no stored
    /// phone may be removed for a new phone of the site.
    case busy
    /// The caller's task was cancelled while it waited; nothing was spent.
    case cancelled
    case invalid(what: String)
    /// Any other SQLite error, by its extended result code (sqlite.org/rescode.html).
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
