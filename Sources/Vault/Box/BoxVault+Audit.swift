/// The audit log. Its head also goes to the journal, which is what makes tampering evident: whoever rewrites the
/// whole chain cannot rewrite that.
extension BoxVault {
    /// Appends an entry, durably; the new head.
    public func append(_ event: AuditEvent) throws(VaultError) -> AuditHead {
        try AuditChain.append(event, unixSeconds: clock.unixSeconds, in: file)
    }

    /// Number 0 and a hash of zeros while the log is empty.
    public func auditHead() throws(VaultError) -> AuditHead {
        try AuditChain.head(in: database)
    }

    /// Entries with a higher number than `after`, oldest first, at most `limit`.
    public func auditEntries(after: UInt64, limit: UInt64) throws(VaultError) -> [AuditEntry] {
        try AuditChain.entries(in: database, after: after, limit: limit)
    }

    /// Reads the whole log. `journalled` is a head that the journal has, which must be part of it.
    public func verifyAudit(journalled: AuditHead? = nil) throws(VaultError) -> AuditVerdict {
        try AuditChain.verify(in: file, journalled: journalled)
    }
}
