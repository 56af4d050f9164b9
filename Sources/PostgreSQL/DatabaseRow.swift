/// One row of a result. Columns are counted from 0.
///
/// Every accessor throws `unexpectedType` if the column does not exist or holds another type. Accessors without
/// `optional` in their name also throw it for null.
public struct DatabaseRow: Sendable, Equatable {
    public let values: [DatabaseValue]

    public func integer(_ column: Int) throws(DatabaseError) -> Int64 {
        guard let value = try optionalInteger(column) else { throw wrong(column, "an integer") }
        return value
    }

    public func bytes(_ column: Int) throws(DatabaseError) -> [UInt8] {
        guard let value = try optionalBytes(column) else { throw wrong(column, "bytes") }
        return value
    }

    public func text(_ column: Int) throws(DatabaseError) -> String {
        guard let value = try optionalText(column) else { throw wrong(column, "a text") }
        return value
    }

    public func boolean(_ column: Int) throws(DatabaseError) -> Bool {
        guard let value = try optionalBoolean(column) else { throw wrong(column, "a boolean") }
        return value
    }

    public func optionalInteger(_ column: Int) throws(DatabaseError) -> Int64? {
        switch value(column) {
        case .integer(let value): value
        case .null: nil
        default: throw wrong(column, "an integer")
        }
    }

    public func optionalBytes(_ column: Int) throws(DatabaseError) -> [UInt8]? {
        switch value(column) {
        case .bytes(let value): value
        case .null: nil
        default: throw wrong(column, "bytes")
        }
    }

    public func optionalText(_ column: Int) throws(DatabaseError) -> String? {
        switch value(column) {
        case .text(let value): value
        case .null: nil
        default: throw wrong(column, "a text")
        }
    }

    public func optionalBoolean(_ column: Int) throws(DatabaseError) -> Bool? {
        switch value(column) {
        case .boolean(let value): value
        case .null: nil
        default: throw wrong(column, "a boolean")
        }
    }

    private func value(_ column: Int) -> DatabaseValue? {
        values.indices.contains(column) ? values[column] : nil
    }

    private func wrong(_ column: Int, _ wanted: String) -> DatabaseError {
        .unexpectedType("column \(column) is \(value(column)?.kind ?? "not there"), not \(wanted)")
    }
}

/// The result of a statement.
public struct DatabaseResult: Sendable, Equatable {
    /// At most 20,000 rows and 16 MB.
    public let rows: [DatabaseRow]
    /// The number of rows that the statement inserted, changed, deleted or returned.
    public let affectedRows: Int
}
