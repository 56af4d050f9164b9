import Hummingbird
import PageCore
import SiteControl

/// Finds, adds and revokes people's phones.
struct PhonePages: Sendable {
    let server: PageServer

    /// Messages that the next page may show after an action.
    private static let done: Set<String> = ["revoked", "revokedUser"]

    func add(to router: Router<PageContext>) {
        router.get("/people", use: list)
        router.get("/phone", use: show)
        router.get("/phone/add") { _, context in form(context).page() }
        router.post("/phone/add", use: add)
        router.post("/phone/grant", use: grant)
        router.get("/phone/revoke", use: askAboutPhone)
        router.post("/phone/revoke", use: revokePhone)
        router.get("/person/revoke", use: askAboutPerson)
        router.post("/person/revoke", use: revokePerson)
    }

    // MARK: - Listing

    @Sendable private func list(_ request: Request, _ context: PageContext) async throws -> Response {
        let (administrator, words) = (try server.administrator(context), server.views.words(context))
        let user = context.query.trimmed("user")
        let search = PageText.search(context.query.trimmed("q"))
        var wish = ListWish(.phones)
        wish.user = user.isEmpty ? nil : user
        wish.search = search
        Pager.turn(&wish, context)
        let (rows, end) = try await server.desk.phones(wish, as: administrator)
        var model: PageViews.Model = [
            "rows": rows.map { row($0, words) }, "hasRows": !rows.isEmpty,
            "hasPhones": end.found > 0 || !search.isEmpty,
            "search": search, "isOnePerson": !user.isEmpty, "person": Markup.foreign(user),
            // Another part of the list may have an active phone.
            "canRevoke": end.found > UInt64(rows.count) || rows.contains { $0.state == "active" },
            "revokePerson": "/person/revoke?" + Form.query([("user", user)]),
        ]
        model.merge(server.done(Self.done, context)) { $1 }
        if !user.isEmpty { model["title"] = words.text("title-person", user) }
        model.merge(Pager.model(end, "/people", [("q", search), ("user", user)], words)) { $1 }
        return server.page("people", model, context)
    }

    @Sendable private func show(_ request: Request, _ context: PageContext) async throws -> Response {
        let phone = try await phone(context)
        var model = row(phone, server.views.words(context))
        model["section"] = "people"
        model.merge(server.done(Self.done, context)) { $1 }
        return server.page("phone", model, context)
    }

    /// Returns the phone that the query or the form names.
    private func phone(_ context: PageContext) async throws -> PhoneListing {
        let id = context.query["id"] ?? context.form["id"] ?? ""
        guard let found = try await server.desk.phone(id, as: try server.administrator(context)) else {
            throw PageRefusal(status: .notFound, key: "errorNoPhone")
        }
        return found
    }

    private func row(_ phone: PhoneListing, _ words: Catalogue) -> PageViews.Model {
        [
            "user": Markup.foreign(phone.user), "userHref": Self.place(ofPerson: phone.user),
            "id": phone.id, "shortID": String(phone.id.prefix(8)), "href": place(of: phone),
            "revoke": "/phone/revoke?" + Form.query([("id", phone.id)]),
            "label": phone.label.isEmpty ? "–" : Markup.foreign(phone.label),
            "groups": PageText.text(of: phone.groups),
            "state": phone.state, "stateLabel": words.plain("phone-" + phone.state),
            "isActive": phone.state == "active",
            "added": Moment.text(phone.added), "addedMachine": Moment.machine(phone.added),
            "expiry": Moment.text(phone.expiry), "expiryMachine": Moment.machine(phone.expiry),
            "renewed": phone.renewed.map(Moment.text) ?? words.plain("never"),
        ]
    }

    // MARK: - Adding

    private func form(_ context: PageContext) -> WrittenForm {
        WrittenForm(
            server: server, context: context, template: "add", section: "people",
            fields: ["user": context.query["user"] ?? "", "code": "", "label": "", "groups": "1"])
    }

    @Sendable private func add(_ request: Request, _ context: PageContext) async throws -> Response {
        let (user, label, form) = (context.form.trimmed("user"), context.form.trimmed("label"), form(context))
        guard let groups = PageText.groups(context.form.trimmed("groups")) else { return form.wrong("problemGroups") }
        let wish = SiteRequest.addPhone(
            user: user, code: context.form.trimmed("code"), label: label.isEmpty ? nil : label, groups: groups)
        return await form.attempt { () async throws(DeskFailure) in
            let text = try await server.desk.grant(wish, as: try server.signedIn(context))
            return grantPage(text, of: user, context)
        }
    }

    private func grantPage(_ text: String, of user: String, _ context: PageContext) -> Response {
        server.page(
            "grant",
            [
                "section": "people", "text": text, "whose": server.views.words(context).markup("grantWhose", user),
                "userHref": Self.place(ofPerson: user),
            ], context)
    }

    @Sendable private func grant(_ request: Request, _ context: PageContext) async throws -> Response {
        let phone = try await phone(context)
        let text = try await server.desk.grant(.grantPhone(phone: phone.id), as: try server.administrator(context))
        return grantPage(text, of: phone.user, context)
    }

    // MARK: - Revoking

    private func revocation(of phone: PhoneListing, _ context: PageContext) -> Confirmation {
        Confirmation(
            section: "people", title: "title-revoke-phone", warning: "revokeText", button: "revokeNow",
            question: server.views.words(context).markup(
                "revokePhone", phone.label.isEmpty ? String(phone.id.prefix(8)) : phone.label, phone.user),
            action: "/phone/revoke", fields: [("id", phone.id)], back: place(of: phone))
    }

    @Sendable private func askAboutPhone(_ request: Request, _ context: PageContext) async throws -> Response {
        server.ask(revocation(of: try await phone(context), context), context)
    }

    @Sendable private func revokePhone(_ request: Request, _ context: PageContext) async throws -> Response {
        let phone = try await phone(context)
        return await server.perform(
            revocation(of: phone, context), done: place(of: phone) + "&done=revoked", context
        ) { .revokePhone(phone: phone.id, reason: $0) }
    }

    private func revocation(of user: String, _ context: PageContext) -> Confirmation {
        Confirmation(
            section: "people", title: "title-revoke-person", warning: "revokeText", button: "revokeNow",
            question: server.views.words(context).markup("revokePerson", user), action: "/person/revoke",
            fields: [("user", user)], back: Self.place(ofPerson: user))
    }

    @Sendable private func askAboutPerson(_ request: Request, _ context: PageContext) async throws -> Response {
        server.ask(revocation(of: context.query.trimmed("user"), context), context)
    }

    @Sendable private func revokePerson(_ request: Request, _ context: PageContext) async throws -> Response {
        let user = context.form.trimmed("user")
        return await server.perform(
            revocation(of: user, context), done: Self.place(ofPerson: user) + "&done=revokedUser", context
        ) { .revokeUser(name: user, reason: $0, again: false) }
    }

    private func place(of phone: PhoneListing) -> String { "/phone?" + Form.query([("id", phone.id)]) }
    private static func place(ofPerson user: String) -> String { "/people?" + Form.query([("user", user)]) }
}
