import Hummingbird
import PageCore
import SiteControl

/// People and their phones: found, added, taken back.
struct PhonePages: Sendable {
    let server: PageServer

    /// What was done, as a page that is shown next may be asked to say.
    private static let done: Set<String> = ["revoked", "revokedUser"]

    func add(to router: Router<PageContext>) {
        router.get("/people", use: list)
        router.get("/phone", use: show)
        router.get("/phone/add") { _, context in addPage(context) }
        router.post("/phone/add", use: add)
        router.post("/phone/grant", use: grant)
        router.get("/phone/revoke", use: askAboutPhone)
        router.post("/phone/revoke", use: revokePhone)
        router.get("/person/revoke", use: askAboutPerson)
        router.post("/person/revoke", use: revokePerson)
    }

    // MARK: - Looking

    @Sendable private func list(_ request: Request, _ context: PageContext) async throws -> Response {
        let (administrator, words) = (try server.administrator(context), server.views.words(context))
        let user = context.query.trimmed("user")
        let search = PageText.search(context.query.trimmed("q"))
        let all = try await server.desk.phones(of: user.isEmpty ? nil : user, as: administrator)
        let page = ListPage(
            all.filter { PageText.matches($0, search) }, number: Int(context.query.trimmed("page")) ?? 1)
        var model: PageViews.Model = [
            "rows": page.rows.map { row($0, words) }, "hasRows": !page.rows.isEmpty, "hasPhones": !all.isEmpty,
            "search": search, "isOnePerson": !user.isEmpty, "person": Markup.foreign(user),
            "canRevoke": all.contains { $0.state == "active" },
            "revokePerson": "/person/revoke?" + Form.query([("user", user)]),
            "done": done(context), "hasDone": !done(context).isEmpty,
        ]
        if !user.isEmpty { model["title"] = words.text("title-person", user) }
        model.merge(Pager.model(page, "/people", [("q", search), ("user", user)], words)) { $1 }
        return server.page("people", model, context)
    }

    @Sendable private func show(_ request: Request, _ context: PageContext) async throws -> Response {
        let phone = try await phone(context)
        var model = row(phone, server.views.words(context))
        model["section"] = "people"
        model["done"] = done(context)
        model["hasDone"] = !done(context).isEmpty
        return server.page("phone", model, context)
    }

    private func done(_ context: PageContext) -> String {
        guard let key = context.query["done"], Self.done.contains(key) else { return "" }
        return server.views.words(context).plain("done-" + key)
    }

    /// The phone that the query or the form names.
    private func phone(_ context: PageContext) async throws -> PhoneListing {
        let id = context.query["id"] ?? context.form["id"] ?? ""
        let found = try await server.desk.phones(of: nil, as: try server.administrator(context)).first { $0.id == id }
        guard let found else { throw PageRefusal(status: .notFound, key: "errorNoPhone") }
        return found
    }

    private func row(_ phone: PhoneListing, _ words: Catalogue) -> PageViews.Model {
        [
            "user": Markup.foreign(phone.user), "userHref": "/people?" + Form.query([("user", phone.user)]),
            "id": phone.id, "shortID": String(phone.id.prefix(8)), "href": "/phone?" + Form.query([("id", phone.id)]),
            "revoke": "/phone/revoke?" + Form.query([("id", phone.id)]),
            "label": phone.label.isEmpty ? "–" : Markup.foreign(phone.label),
            "groups": phone.groups.map { "\($0)" }.joined(separator: ", "),
            "state": phone.state, "stateLabel": words.plain("phone-" + phone.state),
            "isActive": phone.state == "active",
            "added": Moment.text(phone.added), "addedMachine": Moment.machine(phone.added),
            "expiry": Moment.text(phone.expiry), "expiryMachine": Moment.machine(phone.expiry),
            "renewed": phone.renewed.map(Moment.text) ?? words.plain("never"),
        ]
    }

    // MARK: - Adding

    private func addPage(
        _ context: PageContext, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        server.page(
            "add",
            [
                "section": "people", "user": context.form["user"] ?? context.query["user"] ?? "",
                "code": context.form["code"] ?? "", "label": context.form["label"] ?? "",
                "groups": context.form["groups"] ?? "1", "problem": problem ?? "", "hasProblem": problem != nil,
            ], context, status: status)
    }

    @Sendable private func add(_ request: Request, _ context: PageContext) async throws -> Response {
        let (form, words) = (context.form, server.views.words(context))
        let label = form.trimmed("label")
        guard let groups = PageText.groups(form.trimmed("groups")) else {
            return addPage(context, problem: words.plain("problemGroups"), status: .unprocessableContent)
        }
        let wish = SiteRequest.addPhone(
            user: form.trimmed("user"), code: form.trimmed("code"), label: label.isEmpty ? nil : label, groups: groups)
        do throws(DeskFailure) {
            let text = try await server.desk.grant(wish, as: try administrator(context))
            return grantPage(text, of: form.trimmed("user"), context)
        } catch {
            return addPage(context, problem: server.views.sentence(error, context), status: error.status)
        }
    }

    /// In the words of boxsited, where a form's own page shows what is wrong.
    private func administrator(_ context: PageContext) throws(DeskFailure) -> String {
        guard let session = context.visitor.session else {
            throw DeskFailure(kind: .refused(.notPermitted), what: "nobody is signed in", cure: "")
        }
        return session.administrator
    }

    private func grantPage(_ text: String, of user: String, _ context: PageContext) -> Response {
        server.page(
            "grant",
            [
                "section": "people", "text": text, "whose": server.views.words(context).markup("grantWhose", user),
                "userHref": "/people?" + Form.query([("user", user)]),
            ], context)
    }

    @Sendable private func grant(_ request: Request, _ context: PageContext) async throws -> Response {
        let phone = try await phone(context)
        let text = try await server.desk.grant(.grantPhone(phone: phone.id), as: try server.administrator(context))
        return grantPage(text, of: phone.user, context)
    }

    // MARK: - Taking back

    @Sendable private func askAboutPhone(_ request: Request, _ context: PageContext) async throws -> Response {
        revokePage(try await phone(context), context)
    }

    private func revokePage(
        _ phone: PhoneListing, _ context: PageContext, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        let words = server.views.words(context)
        return server.page(
            "revoke",
            [
                "section": "people", "title": words.plain("title-revoke-phone"), "action": "/phone/revoke",
                "question": words.markup(
                    "revokePhone", phone.label.isEmpty ? String(phone.id.prefix(8)) : phone.label, phone.user),
                "field": "id", "value": phone.id, "back": "/phone?" + Form.query([("id", phone.id)]),
                "reason": context.form["reason"] ?? "", "problem": problem ?? "", "hasProblem": problem != nil,
            ], context, status: status)
    }

    @Sendable private func revokePhone(_ request: Request, _ context: PageContext) async throws -> Response {
        let phone = try await phone(context)
        let words = server.views.words(context)
        guard let reason = context.form.reason else {
            return revokePage(phone, context, problem: words.plain("problemReason"), status: .unprocessableContent)
        }
        do throws(DeskFailure) {
            let wish = SiteRequest.revokePhone(phone: phone.id, reason: reason)
            return came(
                of: try await server.desk.order(wish, as: try administrator(context)),
                "/phone?" + Form.query([("id", phone.id), ("done", "revoked")]))
        } catch {
            return revokePage(phone, context, problem: server.views.sentence(error, context), status: error.status)
        }
    }

    @Sendable private func askAboutPerson(_ request: Request, _ context: PageContext) async throws -> Response {
        personRevokePage(context.query.trimmed("user"), context)
    }

    private func personRevokePage(
        _ user: String, _ context: PageContext, problem: String? = nil, status: HTTPResponse.Status = .ok
    ) -> Response {
        let words = server.views.words(context)
        return server.page(
            "revoke",
            [
                "section": "people", "title": words.plain("title-revoke-person"), "action": "/person/revoke",
                "question": words.markup("revokePerson", user), "field": "user", "value": user,
                "back": "/people?" + Form.query([("user", user)]),
                "reason": context.form["reason"] ?? "", "problem": problem ?? "", "hasProblem": problem != nil,
            ], context, status: status)
    }

    @Sendable private func revokePerson(_ request: Request, _ context: PageContext) async throws -> Response {
        let user = context.form.trimmed("user")
        guard let reason = context.form.reason else {
            return personRevokePage(
                user, context, problem: server.views.words(context).plain("problemReason"),
                status: .unprocessableContent)
        }
        do throws(DeskFailure) {
            let wish = SiteRequest.revokeUser(name: user, reason: reason, again: false)
            return came(
                of: try await server.desk.order(wish, as: try administrator(context)),
                "/people?" + Form.query([("user", user), ("done", "revokedUser")]))
        } catch {
            return personRevokePage(
                user, context, problem: server.views.sentence(error, context), status: error.status)
        }
    }

    /// To what is done, or to what waits instead.
    private func came(of outcome: OrderOutcome, _ done: String) -> Response {
        switch outcome {
        case .done: PageViews.redirect(done)
        case .waits(let proposal): PageViews.redirect(ProposalPages.place(of: proposal))
        }
    }
}
