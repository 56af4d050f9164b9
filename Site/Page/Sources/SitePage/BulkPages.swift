import Glibc
import Hummingbird
import PageCore
import SiteControl

/// Codes with which many boxes join, and the boxes that wait for approval (docs/decisions/043-enrolment-at-a-site.md).
struct BulkPages: Sendable {
    let server: PageServer

    /// Messages that the next page may show after an action.
    private static let done: Set<String> = ["approvedBoxes", "rejectedBoxes", "revokedCode"]

    func add(to router: Router<PageContext>) {
        router.get("/box/codes", use: codes)
        router.get("/box/codes/add") { _, context in form(context).page() }
        router.post("/box/codes/add", use: add)
        router.get("/box/codes/revoke", use: askAboutCode)
        router.post("/box/codes/revoke", use: revokeCode)
        router.get("/box/waiting", use: waiting)
        router.post("/box/waiting/approve", use: approve)
        router.post("/box/waiting/reject", use: reject)
    }

    // MARK: - Codes

    @Sendable private func codes(_ request: Request, _ context: PageContext) async throws -> Response {
        let (administrator, words) = (try server.administrator(context), server.views.words(context))
        let page = ListPage(
            try await server.desk.bulkCodes(as: administrator), number: Int(context.query.trimmed("page")) ?? 1)
        var model: PageViews.Model = [
            "section": "boxes", "rows": page.rows.map { row($0, words) }, "hasRows": !page.rows.isEmpty,
        ]
        model.merge(server.done(Self.done, context)) { $1 }
        model.merge(Pager.model(page, "/box/codes", [], words)) { $1 }
        return server.page("box-codes", model, context)
    }

    private func row(_ code: BulkCodeListing, _ words: Catalogue) -> PageViews.Model {
        let isOver = code.until <= UInt64(clamping: time(nil))
        let state = code.isRevoked ? "revoked" : isOver ? "away" : "active"
        return [
            "id": code.id, "name": Markup.foreign(code.name), "groups": PageText.text(of: code.groups),
            "taken": words.text("takenOf", "\(code.taken)", "\(code.places)"),
            "until": Moment.text(code.until), "untilMachine": Moment.machine(code.until),
            "state": state, "stateLabel": words.plain("code-" + state), "isGood": state == "active",
            "revoke": "/box/codes/revoke?" + Form.query([("code", code.id)]),
        ]
    }

    private func form(_ context: PageContext) -> WrittenForm {
        WrittenForm(
            server: server, context: context, template: "box-codes-add", section: "boxes",
            fields: ["name": "", "places": "", "groups": "1", "days": "7", "fingerprints": ""])
    }

    @Sendable private func add(_ request: Request, _ context: PageContext) async throws -> Response {
        let (written, form, words) = (context.form, form(context), server.views.words(context))
        guard let groups = PageText.groups(written.trimmed("groups")) else { return form.wrong("problemGroups") }
        guard let places = PageText.number(written.trimmed("places"), 1...PageLimits.bulkPlaces) else {
            return form.wrong("problemPlaces")
        }
        guard let days = PageText.number(written.trimmed("days"), 1...PageLimits.bulkDays) else {
            return form.wrong("problemDays")
        }
        guard let listed = FingerprintList(written.trimmed("fingerprints")) else {
            return form.wrong("problemFingerprints")
        }
        var wish = BulkWish(.add)
        (wish.name, wish.places, wish.groups) = (written.trimmed("name"), places, groups)
        // boxsited's own clock checks the time. Subtract a minute, so that the longest time is valid by both clocks.
        wish.until = UInt64(clamping: time(nil)) + days * 86_400 - 60
        wish.fingerprints = listed.bytes
        return await form.attempt { () async throws(DeskFailure) in
            let made = try await server.desk.joinCode(.bulk(wish), as: try server.signedIn(context))
            return server.page(
                "box-code",
                [
                    "section": "boxes", "code": made.code,
                    "whose": words.markup("bulkCodeWhose", written.trimmed("name"), "\(places)"),
                    "validity": words.text("bulkCodeValidity", "\(days)"), "back": "/box/waiting",
                    "backLabel": words.plain("title-box-waiting"),
                ], context)
        }
    }

    private func revocation(of code: BulkCodeListing, _ context: PageContext) -> Confirmation {
        Confirmation(
            section: "boxes", title: "title-revoke-code", warning: "revokeCodeText", button: "revokeCodeNow",
            question: server.views.words(context).markup("revokeCode", code.id, code.name),
            action: "/box/codes/revoke", fields: [("code", code.id)], back: "/box/codes", needsReason: false)
    }

    private func code(_ fields: Form, _ context: PageContext) async throws -> (listing: BulkCodeListing, id: [UInt8]) {
        let text = fields.trimmed("code")
        let found = try await server.desk.bulkCodes(as: try server.administrator(context)).first { $0.id == text }
        guard let found, let id = EnrolmentID.bytes(text) else {
            throw PageRefusal(status: .notFound, key: "errorNoCode")
        }
        return (found, id)
    }

    @Sendable private func askAboutCode(_ request: Request, _ context: PageContext) async throws -> Response {
        server.ask(revocation(of: try await code(context.query, context).listing, context), context)
    }

    @Sendable private func revokeCode(_ request: Request, _ context: PageContext) async throws -> Response {
        let (listing, id) = try await code(context.form, context)
        return await server.perform(
            revocation(of: listing, context), done: "/box/codes?done=revokedCode", context
        ) { _ in
            var wish = BulkWish(.revoke)
            wish.code = id
            return .bulk(wish)
        }
    }

    // MARK: - Waiting boxes

    @Sendable private func waiting(_ request: Request, _ context: PageContext) async throws -> Response {
        try await waitingForm(context).page()
    }

    private func waitingForm(_ context: PageContext) async throws -> WrittenForm {
        let (administrator, words) = (try server.administrator(context), server.views.words(context))
        var wish = ListWish(.waiting)
        Pager.turn(&wish, context)
        let (rows, end) = try await server.desk.waitingBoxes(wish, as: administrator)
        var model: PageViews.Model = [
            "rows": rows.map { box in
                [
                    "fingerprint": box.fingerprint, "name": Markup.foreign(box.name + "-…"),
                    "groups": PageText.text(of: box.groups), "came": Moment.text(box.came),
                    "cameMachine": Moment.machine(box.came),
                ] as PageViews.Model
            }, "hasRows": !rows.isEmpty,
        ]
        model.merge(server.done(Self.done, context)) { $1 }
        model.merge(Pager.model(end, "/box/waiting", [], words)) { $1 }
        return WrittenForm(
            server: server, context: context, template: "box-waiting", section: "boxes", fields: ["fingerprints": ""],
            more: model)
    }

    /// Returns the ticked and pasted fingerprints, or nil if there are none or one is not valid.
    private func named(_ form: Form) -> FingerprintList? {
        let named = FingerprintList(
            (form.names(beginningWith: "box-") + [form["fingerprints"] ?? ""]).joined(separator: "\n"))
        return named.flatMap { $0.isEmpty ? nil : $0 }
    }

    private func wrong(_ context: PageContext) async throws -> Response {
        try await waitingForm(context).wrong("problemFingerprints")
    }

    /// Approves all named boxes, or none.
    @Sendable private func approve(_ request: Request, _ context: PageContext) async throws -> Response {
        guard let named = named(context.form) else { return try await wrong(context) }
        var wish = BulkWish(.approve)
        wish.fingerprints = named.bytes
        do throws(DeskFailure) {
            return try await server.order(.bulk(wish), done: "/box/waiting?done=approvedBoxes", context)
        } catch {
            return try await waitingForm(context).refused(error)
        }
    }

    /// Rejects boxes for good, after a confirmation.
    @Sendable private func reject(_ request: Request, _ context: PageContext) async throws -> Response {
        guard let named = named(context.form) else { return try await wrong(context) }
        let (words, list) = (server.views.words(context), named.texts.joined(separator: "\n"))
        let asked = Confirmation(
            section: "boxes", title: "title-reject-boxes", warning: "rejectBoxesText", button: "rejectBoxesNow",
            question: words.markup("rejectBoxes", named.texts.joined(separator: ", ")),
            action: "/box/waiting/reject", fields: [("fingerprints", list), ("sure", "yes")], back: "/box/waiting",
            needsReason: false)
        guard context.form["sure"] == "yes" else { return server.ask(asked, context) }
        return await server.perform(asked, done: "/box/waiting?done=rejectedBoxes", context) { _ in
            var wish = BulkWish(.reject)
            wish.fingerprints = named.bytes
            return .bulk(wish)
        }
    }
}
