import CSQLite

/// A connection to one database file, owned by one actor and never shared.
///
/// The settings are those of DESIGN section 7; what can be read back is read back.
final class Database {
    private let connection: OpaquePointer
    private var statements: [String: Statement] = [:]
    let path: String

    /// Opens or creates the file. `SQLITE_OPEN_NOFOLLOW` refuses a symbolic link in its place.
    init(path: String) throws(VaultError) {
        var handle: OpaquePointer?
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOFOLLOW | SQLITE_OPEN_NOMUTEX
            | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw Self.error(code, path)
        }
        connection = handle
        self.path = path
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(connection)
    }

    /// Takes the file for this process alone and sets it up.
    func configure() throws(VaultError) {
        try execute("PRAGMA locking_mode = EXCLUSIVE")
        try require("PRAGMA journal_mode = WAL", "wal")
        try execute("PRAGMA synchronous = FULL")
        try execute("PRAGMA secure_delete = ON")
        try execute("PRAGMA foreign_keys = ON")
        try execute("PRAGMA trusted_schema = OFF")
        try execute("PRAGMA cell_size_check = ON")
        try execute("PRAGMA temp_store = MEMORY")
        guard try integer("PRAGMA synchronous") == 2, try integer("PRAGMA secure_delete") == 1,
            try integer("PRAGMA foreign_keys") == 1
        else { throw .unusable(path: path, reason: "SQLite does not take its settings") }
    }

    /// Runs statements that give no rows.
    func execute(_ sql: String) throws(VaultError) {
        let code = sqlite3_exec(connection, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw Self.error(code, path) }
    }

    /// A statement that is prepared once; the caller binds, steps and resets it inside `run` or `rows`.
    func statement(_ sql: String) throws(VaultError) -> Statement {
        if let known = statements[sql] { return known }
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw Self.error(code, path) }
        let statement = Statement(handle, path: path)
        statements[sql] = statement
        return statement
    }

    /// Runs a statement that gives no rows; returns how many it changed.
    @discardableResult
    func run(_ sql: String, _ values: SQLValue...) throws(VaultError) -> Int {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(values)
        while try statement.step() {}
        return Int(sqlite3_changes64(connection))
    }

    /// The rows of a query, each made by `make`, at most `limit`.
    func rows<Row>(
        _ sql: String, _ values: [SQLValue] = [], limit: Int = 100_000,
        _ make: (borrowing Statement) throws(VaultError) -> Row
    ) throws(VaultError) -> [Row] {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(values)
        var result: [Row] = []
        while result.count < limit, try statement.step() {
            result.append(try make(statement))
        }
        return result
    }

    /// One transaction: committed when `body` returns, rolled back when it throws.
    func transaction<Result>(_ body: () throws(VaultError) -> Result) throws(VaultError) -> Result {
        try execute("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try execute("COMMIT")
            return result
        } catch {
            // The first error is the one to tell; a rollback that fails leaves nothing committed either.
            try? execute("ROLLBACK")
            throw error
        }
    }

    func integer(_ sql: String) throws(VaultError) -> Int64? {
        try rows(sql, limit: 1) { $0.integer(0) }.first
    }

    /// Writes the whole write-ahead log into the database and cuts it to nothing.
    func truncateLog() throws(VaultError) {
        let busy = try rows("PRAGMA wal_checkpoint(TRUNCATE)", limit: 1) { $0.integer(0) }.first
        guard busy == 0 else { throw .locked(path: path) }
    }

    /// Whether the file's structure is whole (sqlite.org/pragma.html#pragma_quick_check).
    func isWhole() throws(VaultError) -> Bool {
        try rows("PRAGMA quick_check(1)", limit: 1) { $0.bytes(0) }.first == Array("ok".utf8)
    }

    private func require(_ sql: String, _ answer: String) throws(VaultError) {
        guard try rows(sql, limit: 1, { $0.bytes(0) }).first == Array(answer.utf8) else {
            throw .unusable(path: path, reason: "'\(sql)' was refused")
        }
    }

    static func error(_ code: Int32, _ path: String) -> VaultError {
        switch code & 0xFF {
        case SQLITE_BUSY, SQLITE_LOCKED: .locked(path: path)
        case SQLITE_FULL: .diskFull
        case SQLITE_READONLY, SQLITE_PERM: .readOnly(path: path)
        case SQLITE_CORRUPT, SQLITE_NOTADB: .damaged(keptAs: path)
        case SQLITE_NOMEM: .outOfMemory
        case SQLITE_CANTOPEN: .unusable(path: path, reason: "it cannot be opened")
        default: .database(code: code)
        }
    }
}
