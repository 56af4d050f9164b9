import CSQLite
import VaultPort

/// A connection to one database file, owned by one actor and never shared.
///
/// `init` only reads: a damaged, newer or foreign file is closed unchanged. `settle` makes the connection writable.
final class Database {
    private let connection: OpaquePointer
    /// Prepared statements by the address of their SQL. The SQL is always a literal, so the number of statements is
    /// bounded.
    private var statements: [UInt: Statement] = [:]
    let path: String

    /// Opens an existing file; an empty file is an empty database. `hasLog` says that a write-ahead log exists, which a
    /// close would otherwise write into the file.
    init(path: String, hasLog: Bool) throws(VaultError) {
        var handle: OpaquePointer?
        let code = sqlite3_open_v2(
            path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        guard code == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw Self.error(code, path)
        }
        connection = handle
        self.path = path
        // SQLite opens a read-only file without reporting it.
        guard sqlite3_db_readonly(handle, "main") == 0 else { throw .readOnly(path: path) }
        if hasLog { try set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true) }
        try set(SQLITE_DBCONFIG_DEFENSIVE, true)
        try set(SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)
        try set(SQLITE_DBCONFIG_DQS_DML, false)
        try set(SQLITE_DBCONFIG_DQS_DDL, false)
        // The lock is held until the end, so the log's index stays in our memory and needs no -shm file.
        try setting("PRAGMA locking_mode = EXCLUSIVE", is: "exclusive")
        for (write, read, value) in Self.settings {
            try execute(write)
            guard try integer(read) == value else {
                throw .unusable(path: path, reason: "SQLite does not accept '\(write)'")
            }
        }
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(connection)
    }

    /// Called once the content is known to be ours. Starts to use the write-ahead log, and lets a close write it back.
    func settle() throws(VaultError) {
        try setting("PRAGMA journal_mode = WAL", is: "wal")
        try set(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)
    }

    /// Settings of docs/decisions/008-vault.md with the value to read back. temp_store 2 keeps temporary tables in
    /// memory.
    private static let settings: [(write: StaticString, read: StaticString, value: Int64)] = [
        ("PRAGMA synchronous = FULL", "PRAGMA synchronous", 2),
        ("PRAGMA secure_delete = ON", "PRAGMA secure_delete", 1),
        ("PRAGMA foreign_keys = ON", "PRAGMA foreign_keys", 1),
        ("PRAGMA cell_size_check = ON", "PRAGMA cell_size_check", 1),
        ("PRAGMA trusted_schema = OFF", "PRAGMA trusted_schema", 0),
        ("PRAGMA temp_store = MEMORY", "PRAGMA temp_store", 2),
    ]

    private func set(_ option: Int32, _ value: Bool) throws(VaultError) {
        let code = csqlite_set_flag(connection, option, value ? 1 : 0)
        guard code == SQLITE_OK else { throw Self.error(code, path) }
    }

    private func setting(_ sql: StaticString, is answer: String) throws(VaultError) {
        guard try rows(sql, limit: 1, { $0.bytes(0) }).first == Array(answer.utf8) else {
            throw .unusable(path: path, reason: "SQLite does not accept '\(sql)'")
        }
    }

    // MARK: - Statements

    /// Runs one or more statements that return no rows.
    func execute(_ sql: StaticString) throws(VaultError) {
        let code = sqlite3_exec(connection, "\(sql)", nil, nil, nil)
        guard code == SQLITE_OK else { throw Self.error(code, path) }
    }

    /// Returns a statement, which is prepared once.
    private func statement(_ sql: StaticString) throws(VaultError) -> Statement {
        let key = UInt(bitPattern: sql.utf8Start)
        if let known = statements[key] { return known }
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection, "\(sql)", -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw Self.error(code, path) }
        let statement = Statement(handle, path: path)
        statements[key] = statement
        return statement
    }

    /// Runs a statement that returns no rows; returns how many rows it inserted, updated or deleted.
    @discardableResult
    func run(_ sql: StaticString, _ values: SQLValue...) throws(VaultError) -> Int {
        let statement = try statement(sql)
        return try statement.withBound(values[...]) { () throws(VaultError) in
            while try statement.step() {}
            return Int(sqlite3_changes64(connection))
        }
    }

    /// Returns at most `limit` rows of a query, each made by `make`, which must not run a statement itself.
    func rows<Row>(
        _ sql: StaticString, _ values: [SQLValue] = [], limit: Int = .max,
        _ make: (borrowing Statement) throws(VaultError) -> Row
    ) throws(VaultError) -> [Row] {
        let statement = try statement(sql)
        return try statement.withBound(values[...]) { () throws(VaultError) in
            var result: [Row] = []
            while result.count < limit, try statement.step() {
                result.append(try make(statement))
            }
            return result
        }
    }

    /// Returns the first row of a query.
    func first<Row>(
        _ sql: StaticString, _ values: [SQLValue] = [], _ make: (borrowing Statement) throws(VaultError) -> Row
    ) throws(VaultError) -> Row? {
        let statement = try statement(sql)
        return try statement.withBound(values[...]) { () throws(VaultError) in
            try statement.step() ? try make(statement) : nil
        }
    }

    func integer(_ sql: StaticString) throws(VaultError) -> Int64? {
        try first(sql) { $0.integer(0) }
    }

    /// Runs `body` in one transaction: committed durably when it returns, rolled back when it throws.
    func transaction<Result>(_ body: () throws(VaultError) -> Result) throws(VaultError) -> Result {
        try run("BEGIN IMMEDIATE")
        do {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            // Report the first error. Some errors have already rolled back (sqlite.org/lang_transaction).
            if sqlite3_get_autocommit(connection) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Writes the whole write-ahead log into the database and truncates it.
    func truncateLog() throws(VaultError) {
        guard try integer("PRAGMA wal_checkpoint(TRUNCATE)") == 0 else { throw .locked(path: path) }
    }

    /// Checks that the file's structure is whole (sqlite.org/pragma.html#pragma_quick_check).
    func isWhole() throws(VaultError) -> Bool {
        try first("PRAGMA quick_check(1)") { $0.bytes(0) } == Array("ok".utf8)
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
