import Hummingbird
import PageCore
import QRModules
import SiteControl

/// Enrols a phone: it scans a code at any box, and a person compares six digits.
struct EnrolmentPages: Sendable {
    let server: PageServer

    func add(to router: Router<PageContext>) {
        router.get("/phone/enrol") { _, context in form(context).page() }
        router.post("/phone/enrol", use: begin)
        router.get("/enrolment", use: show)
        router.get("/enrolment/live", use: live)
        router.post("/enrolment/confirm", use: confirm)
        router.post("/enrolment/decline", use: decline)
        router.post("/enrolment/cancel", use: cancel)
    }

    // MARK: - The code

    private func form(_ context: PageContext) -> WrittenForm {
        WrittenForm(
            server: server, context: context, template: "enrol", section: "people",
            fields: ["user": context.query["user"] ?? "", "label": "", "groups": "1"])
    }

    @Sendable private func begin(_ request: Request, _ context: PageContext) async throws -> Response {
        let (user, label, form) = (context.form.trimmed("user"), context.form.trimmed("label"), form(context))
        guard let groups = PageText.groups(context.form.trimmed("groups")) else { return form.wrong("problemGroups") }
        return await form.attempt { () async throws(DeskFailure) in
            let (id, code) = try await server.desk.beginEnrolment(
                of: user, label: label.isEmpty ? nil : label, groups: groups,
                as: try server.signedIn(context))
            return codePage(id, code, of: user, context)
        }
    }

    /// Returns the only page with this code. Loading the page again makes another code.
    private func codePage(_ id: [UInt8], _ code: String, of user: String, _ context: PageContext) -> Response {
        let words = server.views.words(context)
        let drawn = QRModules.with(Array(code.utf8).span.bytes) { width, isDark in
            (path: QRPicture.path(width: width, isDark: isDark), side: width + 2 * QRModules.quiet)
        }
        return server.page(
            "enrolment-code",
            [
                "section": "people", "id": EnrolmentID.text(id), "step": EnrolmentStep.waiting.name, "code": code,
                "whose": words.markup("enrolmentWhose", user),
                "validity": words.text("enrolmentValidity", "\(SiteDesk.enrolmentMinutes)"),
                "isDrawn": drawn != nil, "path": drawn?.path ?? "", "side": "\(drawn?.side ?? 0)",
                "quiet": "-\(QRModules.quiet)",
            ], context)
    }

    // MARK: - Progress

    private func id(_ fields: Form) throws -> [UInt8] {
        guard let id = EnrolmentID.bytes(fields["code"] ?? "") else {
            throw PageRefusal(status: .notFound, key: "errorNoEnrolment")
        }
        return id
    }

    @Sendable private func show(_ request: Request, _ context: PageContext) async throws -> Response {
        let id = try id(context.query)
        let listing = try await server.desk.enrolment(id, as: try server.administrator(context))
        let (words, step) = (server.views.words(context), EnrolmentStep(listing))
        let named = listing.phone ?? ""
        var model: PageViews.Model = [
            "section": "people", "id": EnrolmentID.text(id), "step": step.name, "isUnderWay": step.isUnderWay,
            "isWaiting": step == .waiting, "isBegun": step == .begun, "isDone": step == .done, "isComparing": false,
            "hasEnded": false, "whose": words.markup("enrolmentWhose", listing.user),
            "phone": named.isEmpty ? Markup.escaped(words.plain("phoneWithoutName")) : Markup.foreign(named),
            "userHref": "/people?" + Form.query([("user", listing.user)]),
        ]
        switch step {
        case .comparing(let digits):
            model["isComparing"] = true
            model["digits"] = digits
            model["spaced"] = "\(digits.prefix(3))\u{a0}\(digits.suffix(3))"
        case .ended(let key):
            model["hasEnded"] = true
            model["why"] = words.plain(key)
        case .waiting, .begun, .done: break
        }
        return server.page("enrolment", model, context)
    }

    /// Sends the step's name whenever it changes.
    @Sendable private func live(_ request: Request, _ context: PageContext) async throws -> Response {
        let (administrator, desk, id) = (try server.administrator(context), server.desk, try id(context.query))
        return try await server.stream(context) {
            do throws(DeskFailure) {
                let step = EnrolmentStep(try await desk.enrolment(id, as: administrator))
                return "data: \(step.name)\n\n"
            } catch {
                // boxsited is away, or the enrolment belongs to another administrator. The page stays as it is.
                return ":\n\n"
            }
        }
    }

    // MARK: - The person's answer

    @Sendable private func confirm(_ request: Request, _ context: PageContext) async throws -> Response {
        // Only the digits that were shown can confirm the phone.
        try await answer(context, digits: context.form["digits"] ?? "", accept: true)
    }

    @Sendable private func decline(_ request: Request, _ context: PageContext) async throws -> Response {
        try await answer(context, digits: "", accept: false)
    }

    private func answer(_ context: PageContext, digits: String, accept: Bool) async throws -> Response {
        let (id, administrator) = (try id(context.form), try server.administrator(context))
        try await server.desk.confirmEnrolment(id, digits: digits, accept: accept, as: administrator)
        return place(id)
    }

    @Sendable private func cancel(_ request: Request, _ context: PageContext) async throws -> Response {
        let id = try id(context.form)
        try await server.desk.cancelEnrolment(id, as: try server.administrator(context))
        return place(id)
    }

    private func place(_ id: [UInt8]) -> Response {
        PageViews.redirect("/enrolment?" + Form.query([("code", EnrolmentID.text(id))]))
    }
}
