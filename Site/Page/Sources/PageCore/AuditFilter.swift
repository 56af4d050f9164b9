import SiteControl

/// A filter on the audit table, from a form.
public struct AuditFilter: Equatable, Sendable {
    public let who: String
    public let whom: String
    public let action: String
    /// A day in UTC, as browsers send it: 2026-11-24. It is empty without a filter.
    public let since: String
    /// Shows entries before this number, or the newest if it is nil.
    public let before: UInt64?

    public init(_ fields: Form) {
        (who, whom) = (PageText.search(fields.trimmed("who")), PageText.search(fields.trimmed("whom")))
        action = PageText.search(fields.trimmed("action"))
        since = Moment.day(fields.trimmed("since")) == nil ? "" : fields.trimmed("since")
        before = PageText.number(fields.trimmed("before"), 1...UInt64(Int64.max))
    }

    /// The request to boxsited. It asks for one entry more than a page shows, to learn whether more exist.
    public var wish: AuditWish {
        var wish = AuditWish()
        func text(_ text: String) -> String? { text.isEmpty ? nil : text }
        (wish.who, wish.whom, wish.event) = (text(who), text(whom), text(action))
        wish.since = Moment.day(since)
        (wish.before, wish.isNewestFirst) = (before, true)
        wish.limit = UInt64(PageLimits.rowsPerPage) + 1
        return wish
    }

    /// The fields for links, without the position in the list.
    public var pairs: [(String, String)] { [("who", who), ("whom", whom), ("action", action), ("since", since)] }
}
