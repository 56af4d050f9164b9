import Hummingbird
import PageCore
import SiteControl
import TextOutput

/// Lists, approves and rejects orders that wait for a second administrator.
struct ProposalPages: Sendable {
    let server: PageServer

    /// Messages that the list may show after an action.
    private static let done: Set<String> = ["approved", "rejected"]

    func add(to router: Router<PageContext>) {
        router.get("/proposals", use: list)
        router.get("/proposal", use: show)
        router.post("/proposal/approve", use: approve)
        router.post("/proposal/reject", use: reject)
    }

    /// The page of a proposal, shown after an order that waits.
    static func place(of proposal: ProposalListing) -> String { "/proposal?" + Form.query([("id", proposal.id)]) }

    @Sendable private func list(_ request: Request, _ context: PageContext) async throws -> Response {
        let (administrator, words) = (try server.administrator(context), server.views.words(context))
        let all = try await server.desk.proposals(as: administrator)
        let page = ListPage(all, number: Int(context.query.trimmed("page")) ?? 1)
        var model: PageViews.Model = [
            "rows": page.rows.map(row), "hasRows": !page.rows.isEmpty,
        ]
        model.merge(server.done(Self.done, context)) { $1 }
        model.merge(Pager.model(page, "/proposals", [], words)) { $1 }
        return server.page("proposals", model, context)
    }

    @Sendable private func show(_ request: Request, _ context: PageContext) async throws -> Response {
        try await form(context.query["id"] ?? "", context).page()
    }

    private func form(_ id: String, _ context: PageContext) async throws -> WrittenForm {
        let administrator = try server.administrator(context)
        let found = try await server.desk.proposals(as: administrator).first { $0.id == id }
        guard let found else { throw PageRefusal(status: .notFound, key: "errorNoProposal") }
        let standing = ProposalStanding(found, seenBy: try await server.desk.whoIs(administrator))
        var model = row(found)
        model["isOwn"] = standing == .own
        model["isSecond"] = standing == .second
        model["isOnlooker"] = standing == .onlooker
        model["mayEnd"] = standing != .onlooker
        model["rejectLabel"] = server.views.words(context).plain(standing == .own ? "takeBack" : "reject")
        model["why"] = context.form["reason"] ?? ""
        return WrittenForm(server: server, context: context, template: "proposal", section: "proposals", more: model)
    }

    private func row(_ proposal: ProposalListing) -> PageViews.Model {
        [
            "id": proposal.id, "href": Self.place(of: proposal), "proposer": Markup.foreign(proposal.proposerName),
            "order": Markup.foreign(proposal.order),
            "reason": proposal.reason.isEmpty ? "–" : Markup.foreign(proposal.reason),
            "made": Moment.text(proposal.made), "madeMachine": Moment.machine(proposal.made),
            "until": Moment.text(proposal.expiry), "untilMachine": Moment.machine(proposal.expiry),
        ]
    }

    @Sendable private func approve(_ request: Request, _ context: PageContext) async throws -> Response {
        let administrator = try server.administrator(context)
        try await server.desk.approve(context.form["id"] ?? "", as: administrator)
        return PageViews.redirect("/proposals?done=approved")
    }

    @Sendable private func reject(_ request: Request, _ context: PageContext) async throws -> Response {
        let (administrator, id) = (try server.administrator(context), context.form["id"] ?? "")
        guard let reason = context.form.reason else { return try await form(id, context).wrong("problemReason") }
        try await server.desk.reject(id, reason: reason, as: administrator)
        return PageViews.redirect("/proposals?done=rejected")
    }
}
