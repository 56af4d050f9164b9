import AuditLog

/// A server's memory of the audit table. An intruder who rewrites the table cannot rewrite the memory.
public struct AuditWitness: Sendable {
    /// The newest accepted entry, at first that of the server's last run. Without one, the first is accepted unchecked.
    /// Each later one must follow from the one before.
    public private(set) var seen: AuditHead?
    /// The first fault that was found. It stays until a server begins without a memory.
    public private(set) var fault: SiteAuditWalk.Fault?
    private var said: AuditHead?

    public init(seen: AuditHead? = nil) {
        self.seen = seen
    }

    /// Takes the present end of the table. Returns a walk if the entries after `seen` must be checked up to `head`.
    public mutating func hears(_ head: AuditHead) -> SiteAuditWalk? {
        guard fault == nil, head != seen else { return nil }
        guard let seen else {
            self.seen = head
            return nil
        }
        guard head.number > seen.number else {
            fault = head.number < seen.number ? .cut(after: head.number, newest: seen.number) : .replaced(seen.number)
            return nil
        }
        return SiteAuditWalk(behind: seen)
    }

    /// Records that the walk from `begin` reached `head`. Does nothing if another walk was faster.
    public mutating func followed(from begin: AuditHead, to head: AuditHead) {
        if fault == nil, seen == begin { seen = head }
    }

    /// Records that the entries do not lead to the end of the table.
    public mutating func lost(from begin: AuditHead, _ fault: SiteAuditWalk.Fault) {
        if self.fault == nil, seen == begin { self.fault = fault }
    }

    /// Returns true if `head` is new, so that each end of the table gets one line in the journal.
    public mutating func says(_ head: AuditHead) -> Bool {
        defer { said = head }
        return head != said
    }
}
