import AuditLog
import Secrets
import VaultPort

/// The limits at which entries are closed to a segment.
struct AuditSegmentLimits: Sendable {
    var entries: UInt64 = 1_000
    var seconds: Int64 = 30 * 86_400
}

/// The box's authority, which signs segments, and the box it signs for.
struct AuditSigner: ~Copyable {
    let authority: Ed25519KeyPair
    /// The box's public key.
    let box: [UInt8]

    static func read(in file: borrowing VaultFile) throws(VaultError) -> AuditSigner {
        let row = try BoxIdentityRow.read(in: file)
        do {
            let box = try X25519KeyPair(privateKey: row.openStaticKey(file.sealingKey)).publicKey
            return AuditSigner(authority: try Ed25519KeyPair(seed: row.openAuthoritySeed(file.sealingKey)), box: box)
        } catch let error as VaultError {
            throw error
        } catch {
            throw .wrongKey(what: "the authority's key")
        }
    }
}

/// The stored segments.
enum AuditSegments {
    /// Returns at most `limit` segments with a number above `after`.
    static func read(in database: Database, after: UInt64, limit: Int) throws(VaultError) -> [AuditSegment] {
        try database.rows(
            """
            SELECT number, from_entry, to_entry, from_seconds, to_seconds, previous, head, signature
            FROM audit_segments WHERE number > ? ORDER BY number LIMIT ?
            """, [.integer(Int64(clamping: after)), .integer(Int64(limit))]
        ) { (row) throws(VaultError) in
            guard row.integer(1) > 0 else { throw .damaged(keptAs: row.path) }
            return AuditSegment(
                number: UInt64(clamping: row.integer(0)),
                previous: AuditHead(number: UInt64(row.integer(1) - 1), hash: row.bytes(5)),
                head: AuditHead(number: UInt64(clamping: row.integer(2)), hash: row.bytes(6)),
                fromSeconds: row.integer(3), toSeconds: row.integer(4), signature: row.bytes(7))
        }
    }

    /// Returns the entry and segment after which the open part of the log begins.
    static func end(in database: Database) throws(VaultError) -> (segment: UInt64, head: AuditHead) {
        let last = try database.first("SELECT number, to_entry, head FROM audit_segments ORDER BY number DESC LIMIT 1")
        {
            (UInt64(clamping: $0.integer(0)), AuditHead(number: UInt64(clamping: $0.integer(1)), hash: $0.bytes(2)))
        }
        if let last { return last }
        guard let base = try AuditBase.read(in: database) else { return (0, .start) }
        return (base.segment, base.head)
    }

    /// Closes the segments that are due; the next entry then begins a new one. The caller has begun a transaction.
    static func sealDue(
        _ limits: AuditSegmentLimits, unixSeconds: Int64, in file: borrowing VaultFile
    ) throws(VaultError) {
        while true {
            let end = try end(in: file.database)
            let last = try AuditChain.head(in: file).number
            guard last > end.head.number else { return }
            var isDue = last - end.head.number >= limits.entries
            if !isDue { isDue = try isOld(end.head.number + 1, limits, unixSeconds, file.database) }
            guard isDue, try seal(atMost: limits.entries, in: file) else { return }
        }
    }

    /// Closes all open entries to segments.
    static func sealAll(_ limits: AuditSegmentLimits, in file: borrowing VaultFile) throws(VaultError) {
        while try seal(atMost: limits.entries, in: file) {}
    }

    private static func isOld(
        _ number: UInt64, _ limits: AuditSegmentLimits, _ now: Int64, _ database: Database
    ) throws(VaultError) -> Bool {
        let at = try database.first("SELECT at FROM audit WHERE number = ?", [.integer(Int64(clamping: number))]) {
            $0.integer(0)
        }
        return at.map { now - $0 >= limits.seconds } ?? false
    }

    /// Closes entries to a segment and returns whether it did. Inconsistent entries are not signed and stay open;
    /// `boxagent audit --verify` reports where they break.
    private static func seal(atMost count: UInt64, in file: borrowing VaultFile) throws(VaultError) -> Bool {
        let database = file.database
        let end = try end(in: database)
        var walk = AuditWalk(after: end.head)
        for (entry, hash) in try AuditChain.rows(in: database, after: end.head.number, limit: count) {
            guard walk.take(entry), walk.head.hash == hash else { return false }
        }
        let signer = try AuditSigner.read(in: file)
        guard let segment = walk.sign(number: end.segment + 1, box: signer.box, authority: signer.authority) else {
            return false
        }
        try database.run(
            """
            INSERT INTO audit_segments
            (number, from_entry, to_entry, from_seconds, to_seconds, previous, head, signature)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .integer(Int64(clamping: segment.number)), .integer(Int64(clamping: segment.firstEntry)),
            .integer(Int64(clamping: segment.lastEntry)), .integer(segment.fromSeconds),
            .integer(segment.toSeconds), .blob(segment.previous.hash), .blob(segment.head.hash),
            .blob(segment.signature))
        return true
    }
}

/// Checks the stored segments against the entries.
struct AuditSegmentCheck: ~Copyable {
    private let signer: AuditSigner
    private var segment: UInt64
    private var next: AuditSegment?
    private var walk: AuditWalk
    private var isAtEnd = false

    init(after base: AuditBase?, signer: consuming AuditSigner) {
        self.signer = signer
        segment = base?.segment ?? 0
        walk = AuditWalk(after: base?.head ?? .start)
    }

    /// Returns false if a segment ends with `entry` but is not signed or does not match the entries.
    mutating func take(_ entry: AuditEntry, in database: Database) throws(VaultError) -> Bool {
        guard walk.take(entry) else { return false }
        if next == nil, !isAtEnd {
            next = try AuditSegments.read(in: database, after: segment, limit: 1).first
            isAtEnd = next == nil
        }
        guard let due = next else { return true }
        guard due.number == segment + 1, due.lastEntry >= entry.number else { return false }
        guard due.lastEntry == entry.number else { return true }
        guard walk.fits(due), due.isSigned(by: signer.authority.publicKey, box: signer.box) else { return false }
        segment = due.number
        next = nil
        walk = AuditWalk(after: due.head)
        return true
    }

    /// Returns whether every stored segment had its entries.
    func isOver(in database: Database) throws(VaultError) -> Bool {
        guard next == nil else { return false }
        return try AuditSegments.read(in: database, after: segment, limit: 1).isEmpty
    }
}
