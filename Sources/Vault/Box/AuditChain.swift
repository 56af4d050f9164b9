import Secrets

/// The stored audit log: append-only, each entry's hash covers the one before it.
///
/// The head is kept sealed as well, so that cutting entries off the end shows; somebody who puts back an older copy
/// of the whole file is found out by the heads in the journal only.
enum AuditChain {
    private static let start = [UInt8](repeating: 0, count: SHA256.digestBytes)
    private static let headPlace = SealedColumn(table: "settings", column: "value", row: Array("audit-head".utf8))
    private static let pageEntries: Int64 = 1_000

    static func append(
        _ event: AuditEvent, unixSeconds: Int64, in file: borrowing VaultFile
    ) throws(VaultError) -> AuditHead {
        try file.database.transaction { () throws(VaultError) in
            try insert(event, unixSeconds: unixSeconds, in: file)
        }
    }

    /// As `append`, inside a transaction of the caller's that does more.
    static func insert(
        _ event: AuditEvent, unixSeconds: Int64, in file: borrowing VaultFile
    ) throws(VaultError) -> AuditHead {
        let database = file.database
        let last = try head(in: database)
        let entry = AuditEntry(
            number: last.number + 1, unixSeconds: unixSeconds, event: Array(event.kind.rawValue.utf8),
            user: event.user, device: event.device, detail: event.detail, hash: [])
        let head = AuditHead(number: entry.number, hash: hash(entry, after: last.hash))
        let sealed = try headPlace.seal(SecretBytes(copying: encode(head)), key: file.sealingKey)
        try database.run(
            "INSERT INTO audit (number, at, event, user, device, detail, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
            .integer(Int64(entry.number)), .integer(entry.unixSeconds), .blob(entry.event),
            .optional(entry.user), .optional(entry.device?.bytes), .blob(entry.detail), .blob(head.hash))
        try database.run("INSERT OR REPLACE INTO settings (name, value) VALUES ('audit-head', ?)", .blob(sealed))
        return head
    }

    static func head(in database: Database) throws(VaultError) -> AuditHead {
        try database.first("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1") {
            AuditHead(number: UInt64(clamping: $0.integer(0)), hash: $0.bytes(1))
        } ?? AuditHead(number: 0, hash: start)
    }

    static func entries(
        in database: Database, after: UInt64, limit: UInt64
    ) throws(VaultError) -> [AuditEntry] {
        try database.rows(
            "SELECT number, at, event, user, device, detail, hash FROM audit WHERE number > ? ORDER BY number LIMIT ?",
            [.integer(Int64(clamping: after)), .integer(Int64(clamping: limit))]
        ) {
            AuditEntry(
                number: UInt64(clamping: $0.integer(0)), unixSeconds: $0.integer(1), event: $0.bytes(2),
                user: $0.optionalBytes(3), device: $0.optionalBytes(4).flatMap { DeviceID(bytes: $0) },
                detail: $0.bytes(5), hash: $0.bytes(6))
        }
    }

    static func verify(
        in file: borrowing VaultFile, journalled: AuditHead?
    ) throws(VaultError) -> AuditVerdict {
        var last = AuditHead(number: 0, hash: start)
        while true {
            let page = try entries(in: file.database, after: last.number, limit: UInt64(pageEntries))
            guard !page.isEmpty else { break }
            for entry in page {
                let number = last.number + 1
                let isJournalled = journalled.map { $0.number != number || $0.hash == entry.hash } ?? true
                guard entry.number == number, entry.hash == hash(entry, after: last.hash), isJournalled else {
                    return .broken(at: number)
                }
                last = AuditHead(number: number, hash: entry.hash)
            }
        }
        let isCut = journalled.map { $0.number > last.number } ?? false
        guard try isSealed(last, in: file), !isCut else { return .broken(at: last.number + 1) }
        return .intact(entries: last.number)
    }

    /// Whether the head that was sealed is this one.
    private static func isSealed(_ head: AuditHead, in file: borrowing VaultFile) throws(VaultError) -> Bool {
        let stored = try file.database.first("SELECT value FROM settings WHERE name = 'audit-head'") { $0.bytes(0) }
        guard let stored else { return head.number == 0 }
        guard let opened = headPlace.open(stored, key: file.sealingKey) else { return false }
        return opened.isEqual(to: SecretBytes(copying: encode(head)))
    }

    private static func encode(_ head: AuditHead) -> [UInt8] {
        bigEndian(head.number) + head.hash
    }

    private static func bigEndian(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) }
    }

    private static func hash(_ entry: AuditEntry, after previous: [UInt8]) -> [UInt8] {
        func field(_ bytes: [UInt8]?) -> [UInt8] {
            guard let bytes else { return [0] }
            return [1] + bigEndian(UInt64(bytes.count)) + bytes
        }
        var input = Array("boxagent/audit/1".utf8) + previous
        input += bigEndian(entry.number) + bigEndian(UInt64(bitPattern: entry.unixSeconds))
        input += field(entry.event) + field(entry.user) + field(entry.device?.bytes) + field(entry.detail)
        return SHA256.hash(input)
    }
}
