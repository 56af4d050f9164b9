import AuditLog
import VaultPort

/// The audit log. Its head also goes to the journal, which is what makes tampering evident: whoever rewrites the
/// whole chain cannot rewrite that.
extension BoxVault {
    /// Appends an entry, durably; the new head.
    @discardableResult
    public func append(_ event: AuditEvent) throws(VaultError) -> AuditHead {
        try recording { () throws(VaultError) in [event] }
    }

    /// One durable transaction: a change, and the entries that tell of it. No entries: nothing changed.
    @discardableResult
    func recording(_ change: () throws(VaultError) -> [AuditEvent]) throws(VaultError) -> AuditHead {
        var written: [(head: AuditHead, event: AuditEvent)] = []
        try database.transaction { () throws(VaultError) in
            for event in try change() {
                try AuditSegments.sealDue(segmentLimits, unixSeconds: clock.unixSeconds, in: file)
                written.append((try AuditChain.write(event, unixSeconds: clock.unixSeconds, in: file), event))
            }
        }
        for (head, event) in written { journal(head, event) }
        if let head = written.last?.head { return head }
        return try auditHead()
    }

    /// Number 0 and a hash of zeros while the log is empty.
    public func auditHead() throws(VaultError) -> AuditHead {
        try AuditChain.head(in: file)
    }

    /// Entries with a higher number than `after`, oldest first, at most `limit`.
    public func auditEntries(after: UInt64, limit: UInt64) throws(VaultError) -> [AuditEntry] {
        try AuditChain.entries(in: database, after: after, limit: limit)
    }

    /// Reads the whole log. `journalled` is a head that the journal has, which must be part of it.
    public func verifyAudit(journalled: AuditHead? = nil) throws(VaultError) -> AuditVerdict {
        try AuditChain.verify(in: file, journalled: journalled)
    }

    // MARK: - Segments

    /// Who signs segments, and for which box: the public keys.
    public func auditSigner() throws(VaultError) -> (authority: [UInt8], box: [UInt8]) {
        let signer = try AuditSigner.read(in: file)
        return (signer.authority.publicKey, signer.box)
    }

    /// Closes what is open to segments, so that all of the log is signed.
    public func sealAudit() throws(VaultError) {
        try database.transaction { () throws(VaultError) in try AuditSegments.sealAll(segmentLimits, in: file) }
    }

    /// Closed segments with a higher number than `after`, oldest first, at most `limit`.
    public func auditSegments(after: UInt64, limit: Int) throws(VaultError) -> [AuditSegment] {
        try AuditSegments.read(in: database, after: after, limit: limit)
    }

    /// Drops all segments up to this one, and writes that down. A log that does not hold together is kept whole: what is
    /// wrong with it would be lost. How many entries were dropped.
    @discardableResult
    public func pruneAudit(through number: UInt64, by actor: AuditActor) throws(VaultError) -> UInt64 {
        let found = try auditSegments(after: number - min(number, 1), limit: 1).first
        guard number > 0, let segment = found, segment.number == number else {
            throw .notFound(what: "segment of the audit log")
        }
        if case .broken(let entry) = try verifyAudit() {
            throw .invalid(what: "the audit log is broken at entry \(entry); it is kept unchanged for inspection")
        }
        let first = try AuditBase.read(in: database).map { $0.head.number + 1 } ?? 1
        let detail = "entries \(first) to \(segment.lastEntry), head \(segment.head.hex)"
        try recording { () throws(VaultError) in
            try AuditBase.move(behind: segment, in: file)
            return [AuditEvent(kind: .auditPruned, user: nil, device: nil, actor: actor, detail: Array(detail.utf8))]
        }
        try database.truncateLog()
        return segment.lastEntry - first + 1
    }

    /// For tests: segments of a few entries.
    func setSegmentLimits(_ limits: AuditSegmentLimits) {
        segmentLimits = limits
    }
}
