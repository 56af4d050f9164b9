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

    /// Has done what was confirmed; `wish` makes the request of the reason. It leads to `done`, or to the proposal that waits.
    func perform(
        _ it: Confirmation, done: String, _ context: PageContext, _ wish: (String) -> SiteRequest
    ) async -> Response {
        let form = form(it, context)
        guard let reason = it.needsReason ? context.form.reason : "" else { return form.wrong("problemReason") }
        return await form.attempt { () async throws(DeskFailure) in
            try await order(wish(reason), done: done, context)
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

    /// Who is signed in, where a form's own page shows what is wrong.
    func signedIn(_ context: PageContext) throws(DeskFailure) -> String {
        guard let session = context.visitor.session else {
            throw DeskFailure(kind: .refused(.notPermitted), what: "you are not signed in", cure: "")
        }
        return session.administrator
    }

    /// What was done, as the page that is shown next may be asked to say: one of `known`.
    func done(_ known: Set<String>, _ context: PageContext) -> PageViews.Model {
        guard let key = context.query["done"], known.contains(key) else { return ["done": "", "hasDone": false] }
        return ["done": views.words(context).plain("done-" + key), "hasDone": true]
    }
}
