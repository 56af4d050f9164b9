import CSQLite

/// A value that is bound to a statement. Secrets are only ever bound sealed.
enum SQLValue: Sendable {
    case null
    case integer(Int64)
    case blob([UInt8])

    static func optional(_ bytes: [UInt8]?) -> SQLValue { bytes.map { .blob($0) } ?? .null }
    static func optional(_ number: Int64?) -> SQLValue { number.map { .integer($0) } ?? .null }
}

/// SQLITE_TRANSIENT: SQLite copies what is bound (sqlite.org/c3ref/c_static.html).
// SAFETY: the constant is the documented sentinel -1, never called.
private nonisolated(unsafe) let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

/// A prepared statement, kept by its database.
final class Statement {
    private let handle: OpaquePointer
    private let path: String

    init(_ handle: OpaquePointer, path: String) {
        self.handle = handle
        self.path = path
    }

    deinit {
        sqlite3_finalize(handle)
    }

    func bind(_ values: [SQLValue]) throws(VaultError) {
        for (index, value) in values.enumerated() {
            let at = Int32(index + 1)
            let code: Int32
            switch value {
            case .null: code = sqlite3_bind_null(handle, at)
            case .integer(let number): code = sqlite3_bind_int64(handle, at, number)
            case .blob(let bytes):
                code =
                    bytes.isEmpty
                    ? sqlite3_bind_zeroblob(handle, at, 0)
                    : sqlite3_bind_blob(handle, at, bytes, Int32(bytes.count), transient)
            }
            guard code == SQLITE_OK else { throw Database.error(code, path) }
        }
    }

    /// Whether there is another row.
    func step() throws(VaultError) -> Bool {
        let code = sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw Database.error(code, path)
        }
    }

    func reset() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
    }

    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    func integer(_ column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    func optionalInteger(_ column: Int32) -> Int64? {
        isNull(column) ? nil : integer(column)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let pointer = sqlite3_column_blob(handle, column) else { return [] }
        // SAFETY: SQLite says that as many bytes are there until the next step or reset; they are copied here.
        return Array(UnsafeRawBufferPointer(start: pointer, count: Int(sqlite3_column_bytes(handle, column))))
    }

    func optionalBytes(_ column: Int32) -> [UInt8]? {
        isNull(column) ? nil : bytes(column)
    }
}
