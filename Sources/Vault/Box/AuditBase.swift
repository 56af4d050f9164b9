import AuditLog
import Secrets
import VaultPort

/// The start of the log after the administrator dropped earlier entries.
struct AuditBase {
    let segment: UInt64
    /// The last entry that was dropped.
    let head: AuditHead
    private let sealed: [UInt8]

    private static let place = SealedColumn(table: "audit_base", column: "sealed", row: [1])

    static func read(in database: Database) throws(VaultError) -> AuditBase? {
        try database.first("SELECT segment, entry, head, sealed FROM audit_base") {
            AuditBase(
                segment: UInt64(clamping: $0.integer(0)),
                head: AuditHead(number: UInt64(clamping: $0.integer(1)), hash: $0.bytes(2)), sealed: $0.bytes(3))
        }
    }

    /// Returns whether the row was sealed with this agent's key.
    func isSealed(in file: borrowing VaultFile) -> Bool {
        guard let opened = Self.place.open(sealed, key: file.sealingKey) else { return false }
        return opened.isEqual(to: SecretBytes(copying: Self.encode(segment, head)))
    }

    /// Drops the segments up to this one; the caller has begun a transaction.
    static func move(behind segment: AuditSegment, in file: borrowing VaultFile) throws(VaultError) {
        let encoded = encode(segment.number, segment.head)
        let sealed = try place.seal(SecretBytes(copying: encoded), key: file.sealingKey)
        let last = Int64(clamping: segment.lastEntry)
        try file.database.run(
            "INSERT OR REPLACE INTO audit_base (id, segment, entry, head, sealed) VALUES (1, ?, ?, ?, ?)",
            .integer(Int64(clamping: segment.number)), .integer(last), .blob(segment.head.hash), .blob(sealed))
        try file.database.run("DELETE FROM audit WHERE number <= ?", .integer(last))
        try file.database.run("DELETE FROM audit_segments WHERE to_entry <= ?", .integer(last))
    }

    private static func encode(_ segment: UInt64, _ head: AuditHead) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: segment >> UInt64(56 - 8 * $0)) } + head.bytes
    }
}
