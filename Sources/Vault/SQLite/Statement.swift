import CSQLite
import VaultPort

/// A value that is bound to a statement. Secrets are only ever bound sealed.
enum SQLValue: Sendable {
    case null
    case integer(Int64)
    case blob([UInt8])

    static func optional(_ bytes: [UInt8]?) -> SQLValue { bytes.map { .blob($0) } ?? .null }
    static func optional(_ number: Int64?) -> SQLValue { number.map { .integer($0) } ?? .null }
}

/// A prepared statement, stored by its database.
final class Statement {
    private let handle: OpaquePointer
    let path: String

    init(_ handle: OpaquePointer, path: String) {
        self.handle = handle
        self.path = path
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Binds the values during `body` without copying them (SQLITE_STATIC, sqlite.org/c3ref/c_static.html).
    func withBound<Result>(
        _ values: ArraySlice<SQLValue>, _ body: () throws(VaultError) -> Result
    ) throws(VaultError) -> Result {
        guard let value = values.first else {
            // The innermost call clears all bindings, so that none outlives its bytes.
            defer {
                sqlite3_reset(handle)
                sqlite3_clear_bindings(handle)
            }
            return try body()
        }
        let index = Int32(values.startIndex + 1)
        switch value {
        case .null: try check(sqlite3_bind_null(handle, index))
        case .integer(let number): try check(sqlite3_bind_int64(handle, index, number))
        case .blob(let bytes) where bytes.isEmpty: try check(sqlite3_bind_zeroblob(handle, index, 0))
        case .blob(let bytes):
            // SAFETY: the pointer is bound during this call only, because the innermost call clears all bindings. If
            // binding throws, the statement is bound again before its next step.
            return try bytes.span.bytes.withUnsafeBytes { (buffer) throws(VaultError) -> Result in
                try check(sqlite3_bind_blob(handle, index, buffer.baseAddress, Int32(buffer.count), nil))
                return try withBound(values.dropFirst(), body)
            }
        }
        return try withBound(values.dropFirst(), body)
    }

    /// Moves to the next row, and returns whether there is one.
    func step() throws(VaultError) -> Bool {
        let code = sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw Database.error(code, path)
        }
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
        // SAFETY: SQLite keeps this number of bytes valid until the next step or reset; they are copied here.
        return Array(UnsafeRawBufferPointer(start: pointer, count: Int(sqlite3_column_bytes(handle, column))))
    }

    func optionalBytes(_ column: Int32) -> [UInt8]? {
        isNull(column) ? nil : bytes(column)
    }

    private func check(_ code: Int32) throws(VaultError) {
        guard code == SQLITE_OK else { throw Database.error(code, path) }
    }
}
