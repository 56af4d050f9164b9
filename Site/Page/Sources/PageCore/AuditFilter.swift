import SiteControl

/// Which entries of the audit table somebody wants to see, as a form has them.
public struct AuditFilter: Equatable, Sendable {
    public let who: String
    public let whom: String
    public let action: String
    /// A day of UTC, as browsers write it: 2026-11-24; empty: none.
    public let since: String
    /// From that number on backwards; nil: the newest.
    public let before: UInt64?

    public init(_ fields: Form) {
        (who, whom) = (PageText.search(fields.trimmed("who")), PageText.search(fields.trimmed("whom")))
        action = PageText.search(fields.trimmed("action"))
        since = Moment.day(fields.trimmed("since")) == nil ? "" : fields.trimmed("since")
        before = PageText.number(fields.trimmed("before"), 1...UInt64(Int64.max))
    }

    /// One entry more than a page has says that there are others.
    public var wish: AuditWish {
        var wish = AuditWish()
        func text(_ text: String) -> String? { text.isEmpty ? nil : text }
        (wish.who, wish.whom, wish.event) = (text(who), text(whom), text(action))
        wish.since = Moment.day(since)
        (wish.before, wish.isNewestFirst) = (before, true)
        wish.limit = UInt64(PageLimits.rowsPerPage) + 1
        return wish
    }

    /// For links: all but the place.
    public var pairs: [(String, String)] { [("who", who), ("whom", whom), ("action", action), ("since", since)] }
}
