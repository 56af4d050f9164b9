import Hummingbird
import PageCore
import SiteControl

/// Something that somebody is asked about before it is done.
struct Confirmation: Sendable {
    /// Of the list of sections.
    let section: String
    /// Keys of sentences: what the page is called, what follows from it, and what the button says.
    let title, warning, button: String
    /// What is to be done, as HTML.
    let question: String
    /// Where the form goes, and what it carries.
    let action: String
    let fields: [(name: String, value: String)]
    let back: String
    var needsReason = true
}

/// What forms have in common: what is wrong is shown where it was written, and what waits is not shown as done.
extension PageServer {
    /// The page that asks.
    func ask(
        _ it: Confirmation, _ context: PageContext, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        let words = views.words(context)
        return form(
            "confirm",
            [
                "section": it.section, "title": words.plain(it.title), "question": it.question,
                "warning": words.plain(it.warning), "button": words.plain(it.button), "action": it.action,
                "fields": it.fields.map { ["name": $0.name, "value": $0.value] as PageViews.Model }, "back": it.back,
                "needsReason": it.needsReason, "reason": context.form["reason"] ?? "",
            ], context, problem: problem, status: status)
    }

    /// A page with a form, and what is wrong with what was written there before.
    func form(
        _ name: String, _ model: PageViews.Model, _ context: PageContext, problem: String? = nil,
        status: HTTPResponse.Status = .ok
    ) -> Response {
        let told: PageViews.Model = ["problem": problem ?? "", "hasProblem": problem != nil]
        return page(name, model.merging(told) { $1 }, context, status: status)
    }

    /// Has done what was confirmed; `wish` makes the request of the reason. It leads to `done`, or to the proposal that waits.
    func perform(
        _ it: Confirmation, done: String, _ context: PageContext, _ wish: (String) -> SiteRequest
    ) async -> Response {
        guard let reason = it.needsReason ? context.form.reason : "" else {
            let problem = views.words(context).plain("problemReason")
            return ask(it, context, problem: problem, status: .unprocessableContent)
        }
        return await attempt(context, again: { ask(it, context, problem: $0, status: $1) }) {
            () async throws(DeskFailure) in try await order(wish(reason), done: done, context)
        }
    }

    /// Has something done that may wait for a second administrator.
    func order(
        _ wish: SiteRequest, done: String, _ context: PageContext
    ) async throws(DeskFailure) -> Response {
        switch try await desk.order(wish, as: try signedIn(context)) {
        case .done: PageViews.redirect(done)
        case .waits(let proposal): PageViews.redirect(ProposalPages.place(of: proposal))
        }
    }

    /// Does what a form asks for; `again` shows the form with why boxsited did not.
    func attempt(
        _ context: PageContext, again: (_ problem: String, _ status: HTTPResponse.Status) -> Response,
        _ work: () async throws(DeskFailure) -> Response
    ) async -> Response {
        do throws(DeskFailure) {
            return try await work()
        } catch {
            return again(views.sentence(error, context), error.status)
        }
    }

    /// Who is signed in, where a form's own page shows what is wrong.
    func signedIn(_ context: PageContext) throws(DeskFailure) -> String {
        guard let session = context.visitor.session else {
            throw DeskFailure(kind: .refused(.notPermitted), what: "nobody is signed in", cure: "")
        }
        return session.administrator
    }

    /// What was done, as the page that is shown next may be asked to say: one of `known`.
    func done(_ known: Set<String>, _ context: PageContext) -> PageViews.Model {
        guard let key = context.query["done"], known.contains(key) else { return ["done": "", "hasDone": false] }
        return ["done": views.words(context).plain("done-" + key), "hasDone": true]
    }
}
