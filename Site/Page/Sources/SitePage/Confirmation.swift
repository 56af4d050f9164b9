import Hummingbird
import PageCore
import SiteControl

/// A question that the page asks before an action.
struct Confirmation: Sendable {
    /// One of the page's sections.
    let section: String
    /// Keys of sentences: the page's title, the consequences, and the button's label.
    let title, warning, button: String
    /// The question, as HTML.
    let question: String
    /// The form's address and fields.
    let action: String
    let fields: [(name: String, value: String)]
    let back: String
    var needsReason = true
}

/// A form is shown again with its error, and a waiting order is never shown as done.
extension PageServer {
    /// Returns the page with the question.
    func ask(_ it: Confirmation, _ context: PageContext) -> Response { form(it, context).page() }

    private func form(_ it: Confirmation, _ context: PageContext) -> WrittenForm {
        let words = views.words(context)
        return WrittenForm(
            server: self, context: context, template: "confirm", section: it.section, fields: ["reason": ""],
            more: [
                "title": words.plain(it.title), "question": it.question, "warning": words.plain(it.warning),
                "button": words.plain(it.button), "action": it.action, "back": it.back,
                "fields": it.fields.map { ["name": $0.name, "value": $0.value] as PageViews.Model },
                "needsReason": it.needsReason,
            ])
    }

    /// Performs a confirmed action; `wish` makes the request. Redirects to `done`, or to the waiting proposal.
    func perform(
        _ it: Confirmation, done: String, _ context: PageContext, _ wish: (String) -> SiteRequest
    ) async -> Response {
        let form = form(it, context)
        guard let reason = it.needsReason ? context.form.reason : "" else { return form.wrong("problemReason") }
        return await form.attempt { () async throws(DeskFailure) in
            try await order(wish(reason), done: done, context)
        }
    }

    /// Performs an order that may wait for a second administrator.
    func order(
        _ wish: SiteRequest, done: String, _ context: PageContext
    ) async throws(DeskFailure) -> Response {
        switch try await desk.order(wish, as: try signedIn(context)) {
        case .done: PageViews.redirect(done)
        case .waits(let proposal): PageViews.redirect(ProposalPages.place(of: proposal))
        }
    }

    /// Returns the signed-in administrator, for pages whose form shows errors.
    func signedIn(_ context: PageContext) throws(DeskFailure) -> String {
        guard let session = context.visitor.session else {
            throw DeskFailure(kind: .refused(.notPermitted), what: "you are not signed in", cure: "")
        }
        return session.administrator
    }

    /// The message after an action, if the query names one of `known`.
    func done(_ known: Set<String>, _ context: PageContext) -> PageViews.Model {
        guard let key = context.query["done"], known.contains(key) else { return ["done": "", "hasDone": false] }
        return ["done": views.words(context).plain("done-" + key), "hasDone": true]
    }
}
