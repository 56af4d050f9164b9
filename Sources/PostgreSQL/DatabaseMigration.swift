/// One step of a schema, which is applied once and never changed afterwards.
public struct DatabaseMigration: Sendable, Equatable {
    /// Counted from 1, without gaps.
    public let version: Int
    public let name: String
    /// One or more statements, without BEGIN and COMMIT.
    public let sql: String

    public init(version: Int, name: String, sql: String) {
        self.version = version
        self.name = name
        self.sql = sql
    }
}

/// The reasons why the schema could not be brought up to date.
public enum DatabaseMigrationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The program's own list has a gap, a duplicate version, or a number that is too large.
    case misnumbered(version: Int)
    /// The schema's version is newer than the newest version that this program supports.
    case schemaTooNew(version: Int, highestCompatible: Int)
    /// The schema lacks this version, although it has a newer one.
    case missing(version: Int)
    /// The schema has a different migration under this number.
    case different(version: Int, found: String)
    /// A migration was not committed. After `outcomeUnknown`, it may have been committed.
    case failed(version: Int, DatabaseError)
    case database(DatabaseError)

    public var description: String {
        switch self {
        case .misnumbered(let version):
            "the program's migrations are not numbered 1, 2, 3 …: see version \(version)"
        case .schemaTooNew(let version, let highest):
            "the database's schema has version \(version), but this program supports at most \(highest); "
                + "install a newer program"
        case .missing(let version):
            "the database's schema lacks version \(version) and has newer ones; restore it from a backup"
        case .different(let version, let found):
            "version \(version) of the database's schema is \u{201C}\(found)\u{201D}, which is not this program's; "
                + "check that it is the right database"
        case .failed(let version, let error): "migration \(version) of the database failed: \(error)"
        case .database(let error): "\(error)"
        }
    }
}
