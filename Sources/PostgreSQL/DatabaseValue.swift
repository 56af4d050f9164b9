/// A value sent to or received from the server, in PostgreSQL's binary format.
public enum DatabaseValue: Sendable, Equatable {
    case null
    case integer(Int64)
    case bytes([UInt8])
    case text(String)
    case boolean(Bool)

    /// The type's number, sent with the value (pg_type.dat in PostgreSQL's source); 0 lets the server infer the type.
    var type: UInt32 {
        switch self {
        case .null: 0
        case .integer: DatabaseType.int8
        case .bytes: DatabaseType.bytea
        case .text: DatabaseType.text
        case .boolean: DatabaseType.bool
        }
    }

    /// The bytes to send, or nil for null.
    var encoded: [UInt8]? {
        switch self {
        case .null: nil
        case .integer(let value): (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
        case .bytes(let bytes): bytes
        case .text(let text): Array(text.utf8)
        case .boolean(let value): [value ? 1 : 0]
        }
    }

    /// Reads a column that is not null.
    init(_ bytes: [UInt8], of type: UInt32) throws(DatabaseError) {
        switch (type, bytes.count) {
        case (DatabaseType.int2, 2), (DatabaseType.int4, 4), (DatabaseType.int8, 8):
            let isNegative = (bytes.first ?? 0) >= 0x80
            self = .integer(bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) })
        case (DatabaseType.bool, 1): self = .boolean(bytes[0] != 0)
        case (DatabaseType.bytea, _): self = .bytes(bytes)
        case (DatabaseType.text, _), (DatabaseType.varchar, _), (DatabaseType.bpchar, _), (DatabaseType.name, _):
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .unexpectedType("text that is not UTF-8")
            }
            self = .text(text)
        default: throw .unexpectedType("type number \(type) in \(bytes.count) bytes")
        }
    }

    var kind: String {
        switch self {
        case .null: "null"
        case .integer: "an integer"
        case .bytes: "bytes"
        case .text: "a text"
        case .boolean: "a boolean"
        }
    }
}

/// Numbers of types, which never change (pg_type.dat).
enum DatabaseType {
    static let bool: UInt32 = 16
    static let bytea: UInt32 = 17
    static let name: UInt32 = 19
    static let int8: UInt32 = 20
    static let int2: UInt32 = 21
    static let int4: UInt32 = 23
    static let text: UInt32 = 25
    static let bpchar: UInt32 = 1_042
    static let varchar: UInt32 = 1_043

    static let known: Set<UInt32> = [bool, bytea, name, int8, int2, int4, text, bpchar, varchar]
}
