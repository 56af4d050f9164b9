import AuditLog
import VaultPort

/// The audit log. Its head also goes to the journal, which makes tampering evident: an attacker who rewrites the whole
/// chain cannot rewrite the journal's copy.
extension BoxVault {
    /// Appends an entry durably, and returns the new head.
    @discardableResult
    public func append(_ event: AuditEvent) throws(VaultError) -> AuditHead {
        try recording { () throws(VaultError) in [event] }
    }

    /// Runs a change and writes the entries about it in one durable transaction. No entries mean that nothing changed.
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

    /// Returns the log's head: number 0 and a hash of zeros while the log is empty.
    public func auditHead() throws(VaultError) -> AuditHead {
        try AuditChain.head(in: file)
    }

    /// Returns at most `limit` entries with a number above `after`, oldest first.
    public func auditEntries(after: UInt64, limit: UInt64) throws(VaultError) -> [AuditEntry] {
        try AuditChain.entries(in: database, after: after, limit: limit)
    }

    /// Verifies the whole log. `journalled` is a head from the journal, which must be part of the log.
    public func verifyAudit(journalled: AuditHead? = nil) throws(VaultError) -> AuditVerdict {
        try AuditChain.verify(in: file, journalled: journalled)
    }

    // MARK: - Segments

    /// Returns the public keys of the authority that signs segments, and of its box.
    public func auditSigner() throws(VaultError) -> (authority: [UInt8], box: [UInt8]) {
        let signer = try AuditSigner.read(in: file)
        return (signer.authority.publicKey, signer.box)
    }

    /// Closes all open entries to segments, so that the whole log is signed.
    public func sealAudit() throws(VaultError) {
        try database.transaction { () throws(VaultError) in try AuditSegments.sealAll(segmentLimits, in: file) }
    }

    /// Returns at most `limit` closed segments with a number above `after`, oldest first.
    public func auditSegments(after: UInt64, limit: Int) throws(VaultError) -> [AuditSegment] {
        try AuditSegments.read(in: database, after: after, limit: limit)
    }

    /// Drops all segments up to this one, records that, and returns the number of dropped entries. A broken log is kept
    /// whole, because pruning would remove the evidence.
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

    /// Sets the limits, so that tests get segments of a few entries.
    func setSegmentLimits(_ limits: AuditSegmentLimits) {
        segmentLimits = limits
    }
}
