import AuditLog
import Secrets
import VaultPort

/// The stored audit log: append-only, and each entry's hash covers the one before it.
///
/// The head is also stored sealed, to detect that entries were cut off the end. If an attacker restores an older copy
/// of the whole file, only the heads in the journal reveal it.
enum AuditChain {
    private static let headPlace = SealedColumn(table: "settings", column: "value", row: Array("audit-head".utf8))
    static let pageEntries: UInt64 = 1_000

    /// Writes one entry in the caller's transaction, so that the recorded change and its entry are stored together.
    static func write(
        _ event: AuditEvent, unixSeconds: Int64, in file: borrowing VaultFile
    ) throws(VaultError) -> AuditHead {
        let database = file.database
        let last = try head(in: file)
        let entry = AuditEntry(
            number: last.number + 1, unixSeconds: unixSeconds, event: Array(event.kind.rawValue.utf8),
            user: event.user, device: event.device?.bytes, detail: event.detail, actor: event.actor)
        guard let head = last.next(entry) else { throw .invalid(what: "the audit log is full") }
        let sealed = try headPlace.seal(SecretBytes(copying: head.bytes), key: file.sealingKey)
        try database.run(
            """
            INSERT INTO audit (number, at, event, user, device, detail, hash, actor, actor_name, actor_place, actor_uid)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .integer(Int64(clamping: entry.number)), .integer(entry.unixSeconds), .blob(entry.event),
            .optional(entry.user), .optional(entry.device), .blob(entry.detail), .blob(head.hash),
            .integer(Int64(event.actor.kind.rawValue)), .optional(event.actor.name), .optional(event.actor.place),
            .optional(event.actor.uid.map { Int64($0) }))
        try database.run("INSERT OR REPLACE INTO settings (name, value) VALUES ('audit-head', ?)", .blob(sealed))
        return head
    }

    static func head(in file: borrowing VaultFile) throws(VaultError) -> AuditHead {
        let last = try file.database.first("SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1") {
            AuditHead(number: UInt64(clamping: $0.integer(0)), hash: $0.bytes(1))
        }
        if let last { return last }
        return try AuditBase.read(in: file.database)?.head ?? .start
    }

    static func entries(
        in database: Database, after: UInt64, limit: UInt64
    ) throws(VaultError) -> [AuditEntry] {
        try rows(in: database, after: after, limit: limit).map(\.entry)
    }

    /// Returns entries with the hash that is stored beside each.
    static func rows(
        in database: Database, after: UInt64, limit: UInt64
    ) throws(VaultError) -> [(entry: AuditEntry, hash: [UInt8])] {
        try database.rows(
            """
            SELECT number, at, event, user, device, detail, hash, actor, actor_name, actor_place, actor_uid
            FROM audit WHERE number > ? ORDER BY number LIMIT ?
            """, [.integer(Int64(clamping: after)), .integer(Int64(clamping: limit))]
        ) { (row) throws(VaultError) in
            var actor: AuditActor?
            if let number = row.optionalInteger(7) {
                guard let kind = UInt8(exactly: number).flatMap({ AuditActor.Kind(rawValue: $0) }) else {
                    throw .damaged(keptAs: row.path)
                }
                actor = AuditActor(
                    kind: kind, name: row.optionalBytes(8), place: row.optionalBytes(9),
                    uid: row.optionalInteger(10).map { UInt32(clamping: $0) })
            }
            let entry = AuditEntry(
                number: UInt64(clamping: row.integer(0)), unixSeconds: row.integer(1), event: row.bytes(2),
                user: row.optionalBytes(3), device: row.optionalBytes(4), detail: row.bytes(5), actor: actor)
            return (entry, row.bytes(6))
        }
    }

    // MARK: - Checking

    static func verify(
        in file: borrowing VaultFile, journalled: AuditHead?
    ) throws(VaultError) -> AuditVerdict {
        let base = try AuditBase.read(in: file.database)
        if let base, !base.isSealed(in: file) { return .broken(at: 1) }
        let start = base?.head ?? .start
        var last = start
        var segments = AuditSegmentCheck(after: base, signer: try AuditSigner.read(in: file))
        if let journalled, journalled.number == last.number, journalled.hash != last.hash { return .broken(at: 1) }
        while true {
            let page = try rows(in: file.database, after: last.number, limit: pageEntries)
            guard !page.isEmpty else { break }
            for (entry, hash) in page {
                let number = last.number + 1
                let isJournalled = journalled.map { $0.number != number || $0.hash == hash } ?? true
                guard let next = last.next(entry), next.hash == hash, isJournalled else { return .broken(at: number) }
                last = next
                guard try segments.take(entry, in: file.database) else { return .broken(at: number) }
            }
        }
        let isCut = journalled.map { $0.number > last.number } ?? false
        guard try isSealed(last, in: file), !isCut, try segments.isOver(in: file.database) else {
            return .broken(at: last.number + 1)
        }
        return .intact(entries: last.number - start.number, first: start.number + 1)
    }

    /// Returns whether the sealed head is this one.
    private static func isSealed(_ head: AuditHead, in file: borrowing VaultFile) throws(VaultError) -> Bool {
        let stored = try file.database.first("SELECT value FROM settings WHERE name = 'audit-head'") { $0.bytes(0) }
        guard let stored else { return head.number == 0 }
        guard let opened = headPlace.open(stored, key: file.sealingKey) else { return false }
        return opened.isEqual(to: SecretBytes(copying: head.bytes))
    }
}
