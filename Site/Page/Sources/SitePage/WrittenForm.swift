import Hummingbird
import PageCore

/// A form that comes back as it was written, with what is wrong above it.
struct WrittenForm {
    let server: PageServer
    let context: PageContext
    /// The template's name, and the section it stands in.
    let template: String
    let section: String
    /// What each field has before somebody writes; the names are the template's, too.
    var fields: [String: String] = [:]
    /// What else the template has.
    var more: PageViews.Model = [:]

    func page(problem: String? = nil, status: HTTPResponse.Status = .ok) -> Response {
        var model = more
        model["section"] = section
        for (name, first) in fields { model[name] = context.form[name] ?? first }
        model["problem"] = problem ?? ""
        model["hasProblem"] = problem != nil
        return server.page(template, model, context, status: status)
    }

    /// What the page itself finds wrong; `key` is the sentence's.
    func wrong(_ key: String) -> Response {
        page(problem: server.views.words(context).plain(key), status: .unprocessableContent)
    }

    /// Why boxsited did not do it.
    func refused(_ failure: DeskFailure) -> Response {
        page(problem: server.views.sentence(failure, context), status: failure.status)
    }

    /// Does what the form asks for.
    func attempt(_ work: () async throws(DeskFailure) -> Response) async -> Response {
        do throws(DeskFailure) {
            return try await work()
        } catch {
            return refused(error)
        }
    }
}
