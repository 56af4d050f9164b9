import AuditLog

/// What a server remembers of the audit table since it started: whoever writes the table anew does not write that.
public struct AuditWitness: Sendable {
    /// The newest entry that follows from those before it; nil: nothing was seen yet.
    public private(set) var seen: AuditHead?
    /// What was wrong first. It stays until the server starts anew.
    public private(set) var fault: SiteAuditWalk.Fault?
    private var said: AuditHead?

    public init() {}

    /// The table ends with `head` now. A walk where the entries behind `seen` are to be looked at: they have to lead there.
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

    /// The walk behind `begin` came to `head`. Nothing where another walk was faster.
    public mutating func followed(from begin: AuditHead, to head: AuditHead) {
        if fault == nil, seen == begin { seen = head }
    }

    /// The entries do not lead to the end of the table.
    public mutating func lost(from begin: AuditHead, _ fault: SiteAuditWalk.Fault) {
        if self.fault == nil, seen == begin { self.fault = fault }
    }

    /// True once for each end of the table: a line for the journal.
    public mutating func says(_ head: AuditHead) -> Bool {
        defer { said = head }
        return head != said
    }
}
