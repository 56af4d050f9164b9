import Hummingbird
import PageCore
import SiteControl

/// The audit table: a search, and an exported file that is verified elsewhere.
struct AuditPages: Sendable {
    let server: PageServer

    func add(to router: Router<PageContext>) {
        router.get("/audit", use: list)
        router.get("/audit/export", use: export)
    }

    @Sendable private func list(_ request: Request, _ context: PageContext) async throws -> Response {
        let (administrator, words) = (try server.administrator(context), server.views.words(context))
        let filter = AuditFilter(context.query)
        let found = try await server.desk.audit(filter.wish, as: administrator)
        let rows = found.prefix(PageLimits.rowsPerPage)
        let older = found.count > rows.count ? rows.last.map { "\($0.number)" } : nil
        return server.page(
            "audit",
            [
                "rows": rows.map(row), "hasRows": !rows.isEmpty, "who": filter.who, "whom": filter.whom,
                "action": filter.action, "since": filter.since,
                "hasPages": older != nil || filter.before != nil, "isNumbered": false,
                "hasPrevious": filter.before != nil, "previous": "/audit?" + Form.query(filter.pairs),
                "previousLabel": words.plain("newest"), "nextLabel": words.plain("older"),
                "hasNext": older != nil, "next": "/audit?" + Form.query(filter.pairs + [("before", older ?? "")]),
            ], context)
    }

    private func row(_ entry: AuditEntryListing) -> PageViews.Model {
        func named(_ name: String?, _ id: String) -> String {
            guard let name else { return id.isEmpty ? "–" : Markup.foreign(id) }
            return Markup.foreign(name) + (id.isEmpty ? "" : " (" + Markup.foreign(id) + ")")
        }
        return [
            "number": "\(entry.number)", "at": Moment.text(entry.unixSeconds),
            "atMachine": Moment.machine(entry.unixSeconds), "event": Markup.foreign(entry.event),
            "actor": named(entry.actorName, entry.actor), "subject": named(entry.subjectName, entry.subject),
            "detail": entry.detail.isEmpty ? "–" : Markup.foreign(entry.detail),
        ]
    }

    /// Sends the whole table, as `boxsite audit export` writes it. A truncated file lacks the last line.
    @Sendable private func export(_ request: Request, _ context: PageContext) async throws -> Response {
        let (administrator, desk) = (try server.administrator(context), server.desk)
        return try await server.download("boxsite-audit.txt", context, from: UInt64(0)) { number in
            try await desk.auditExport(after: number, as: administrator)
        }
    }
}
