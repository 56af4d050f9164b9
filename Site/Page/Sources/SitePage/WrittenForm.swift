import Hummingbird
import PageCore

/// A form that is shown again as it was sent, with the problem above it.
struct WrittenForm {
    let server: PageServer
    let context: PageContext
    /// The template's name, and the page's section.
    let template: String
    let section: String
    /// The first values of the fields, by their names in form and template.
    var fields: [String: String] = [:]
    /// Further values for the template.
    var more: PageViews.Model = [:]

    func page(problem: String? = nil, status: HTTPResponse.Status = .ok) -> Response {
        var model = more
        model["section"] = section
        for (name, first) in fields { model[name] = context.form[name] ?? first }
        model["problem"] = problem ?? ""
        model["hasProblem"] = problem != nil
        return server.page(template, model, context, status: status)
    }

    /// Shows a problem that the page found. `key` is the key of its sentence.
    func wrong(_ key: String) -> Response {
        page(problem: server.views.words(context).plain(key), status: .unprocessableContent)
    }

    /// Shows boxsited's refusal.
    func refused(_ failure: DeskFailure) -> Response {
        page(problem: server.views.sentence(failure, context), status: failure.status)
    }

    /// Performs the form's work, and shows the form again after a refusal.
    func attempt(_ work: () async throws(DeskFailure) -> Response) async -> Response {
        do throws(DeskFailure) {
            return try await work()
        } catch {
            return refused(error)
        }
    }
}
