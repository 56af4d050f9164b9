import Hummingbird
import PageCore
import SiteControl

/// The list of administrators and their roles. Each change waits for a second administrator. Only the server's command
/// line makes links for passkeys (docs/decisions/045-administrators.md).
struct AdministratorPages: Sendable {
    let server: PageServer

    /// Ordered by their rights.
    private static let roles = ["viewer", "ward", "helpdesk", "administrator", "root-keeper"]
    private static let done: Set<String> = ["changedAdministrators"]
    /// The page after a change that was done at once, without a second administrator.
    private static let whenDone = "/administrators?done=changedAdministrators"

    func add(to router: Router<PageContext>) {
        router.get("/administrators", use: list)
        router.get("/administrator/add", use: askToAdd)
        router.post("/administrator/add", use: add)
        router.get("/administrator/change", use: askToChange)
        router.post("/administrator/change", use: change)
        router.get("/administrator/remove", use: askToRemove)
        router.post("/administrator/remove", use: remove)
    }

    // MARK: - Listing

    @Sendable private func list(_ request: Request, _ context: PageContext) async throws -> Response {
        let words = server.views.words(context)
        let all = try await server.desk.administrators(as: try server.administrator(context))
        let page = ListPage(all, number: Int(context.query.trimmed("page")) ?? 1)
        var model: PageViews.Model = [
            "rows": page.rows.map { row($0, words) }, "hasRows": !page.rows.isEmpty,
        ]
        model.merge(server.done(Self.done, context)) { $1 }
        model.merge(Pager.model(page, "/administrators", [], words)) { $1 }
        return server.page("administrators", model, context)
    }

    private func row(_ it: AdministratorListing, _ words: Catalogue) -> PageViews.Model {
        let place = Form.query([("number", "\(it.number)")])
        return [
            "name": Markup.foreign(it.name), "role": words.plain("role-" + it.role),
            "groups": it.groups.isEmpty ? "–" : PageText.text(of: it.groups),
            "account": it.account.map(Markup.foreign) ?? "–", "plainName": it.name,
            "change": "/administrator/change?" + place, "remove": "/administrator/remove?" + place,
        ]
    }

    /// Finds an administrator by the row's number, which is never reused. Names may be reused.
    private func administrator(_ fields: Form, _ context: PageContext) async throws -> AdministratorListing {
        let number = fields.trimmed("number")
        let all = try await server.desk.administrators(as: try server.administrator(context))
        guard let found = all.first(where: { "\($0.number)" == number }) else {
            throw PageRefusal(status: .notFound, key: "errorNoAdministrator")
        }
        return found
    }

    // MARK: - Adding and changing

    /// - Parameter known: The administrator to change, or nil to add one.
    private func form(_ known: AdministratorListing?, _ context: PageContext) -> WrittenForm {
        let words = server.views.words(context)
        let role = context.form["role"] ?? known?.role ?? "viewer"
        return WrittenForm(
            server: server, context: context, template: "administrator", section: "administrators",
            fields: [
                "name": "", "groups": PageText.text(of: known?.groups ?? []), "account": known?.account ?? "",
                "reason": "",
            ],
            more: [
                "action": known == nil ? "/administrator/add" : "/administrator/change", "isNew": known == nil,
                "title": known.map { words.text("title-administrator-change", $0.name) }
                    ?? words.plain("title-administrator-add"),
                "number": known.map { "\($0.number)" } ?? "",
                "roles": Self.roles.map {
                    ["value": $0, "label": words.plain("role-" + $0), "isChosen": $0 == role] as PageViews.Model
                },
                "button": words.plain(known == nil ? "addAdministrator" : "changeAdministrator"),
            ])
    }

    /// Refuses the form to administrators who may not see the list, as in a ward. boxsited checks other rights later.
    @Sendable private func askToAdd(_ request: Request, _ context: PageContext) async throws -> Response {
        _ = try await server.desk.administrators(as: try server.administrator(context))
        return form(nil, context).page()
    }

    @Sendable private func add(_ request: Request, _ context: PageContext) async throws -> Response {
        await order(nil, context)
    }

    @Sendable private func askToChange(_ request: Request, _ context: PageContext) async throws -> Response {
        form(try await administrator(context.query, context), context).page()
    }

    @Sendable private func change(_ request: Request, _ context: PageContext) async throws -> Response {
        await order(try await administrator(context.form, context), context)
    }

    private func order(_ known: AdministratorListing?, _ context: PageContext) async -> Response {
        let (written, form) = (context.form, form(known, context))
        let role = written.trimmed("role")
        guard Self.roles.contains(role) else { return form.wrong("problemRole") }
        guard let reason = written.reason else { return form.wrong("problemReason") }
        var wish = AdministratorWish(name: known?.name ?? written.trimmed("name"), role: role)
        wish.account = written.trimmed("account")
        if role == "ward" {
            guard !written.trimmed("groups").isEmpty, let groups = PageText.groups(written.trimmed("groups")) else {
                return form.wrong("problemGroups")
            }
            wish.groups = groups
        }
        let request =
            known == nil
            ? SiteRequest.addAdministrator(wish, reason: reason) : .changeAdministrator(wish, reason: reason)
        return await form.attempt { () async throws(DeskFailure) in
            try await server.order(request, done: Self.whenDone, context)
        }
    }

    // MARK: - Removing

    private func removal(of it: AdministratorListing, _ context: PageContext) -> Confirmation {
        Confirmation(
            section: "administrators", title: "title-administrator-remove", warning: "removeAdministratorText",
            button: "removeAdministratorNow",
            question: server.views.words(context).markup("removeAdministrator", it.name),
            action: "/administrator/remove", fields: [("number", "\(it.number)")], back: "/administrators")
    }

    @Sendable private func askToRemove(_ request: Request, _ context: PageContext) async throws -> Response {
        server.ask(removal(of: try await administrator(context.query, context), context), context)
    }

    @Sendable private func remove(_ request: Request, _ context: PageContext) async throws -> Response {
        let it = try await administrator(context.form, context)
        return await server.perform(removal(of: it, context), done: Self.whenDone, context) {
            .removeAdministrator(name: it.name, reason: $0)
        }
    }
}
