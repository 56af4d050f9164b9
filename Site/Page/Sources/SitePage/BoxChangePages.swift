import Hummingbird
import PageCore
import SiteControl

/// Adds, removes and unsuspends boxes.
struct BoxChangePages: Sendable {
    let server: PageServer

    func add(to router: Router<PageContext>) {
        router.get("/box/add") { _, context in form(context).page() }
        router.post("/box/add", use: add)
        router.get("/box/remove", use: askToRemove)
        router.post("/box/remove", use: remove)
        router.get("/box/unsuspend", use: askToUnsuspend)
        router.post("/box/unsuspend", use: unsuspend)
    }

    // MARK: - Adding

    private func form(_ context: PageContext) -> WrittenForm {
        WrittenForm(
            server: server, context: context, template: "box-add", section: "boxes",
            fields: ["name": "", "number": "", "groups": "1", "hours": "24"],
            more: ["longest": "\(SiteControlLimits.codeHours)"])
    }

    @Sendable private func add(_ request: Request, _ context: PageContext) async throws -> Response {
        let (written, form, words) = (context.form, form(context), server.views.words(context))
        guard let groups = PageText.groups(written.trimmed("groups")) else { return form.wrong("problemGroups") }
        guard let hours = PageText.number(written.trimmed("hours"), 1...SiteControlLimits.codeHours) else {
            return form.wrong("problemHours")
        }
        let (name, number) = (written.trimmed("name"), written.trimmed("number"))
        let wish = SiteRequest.addBox(
            name: name, number: number.isEmpty ? nil : number, groups: groups, hours: hours)
        return await form.attempt { () async throws(DeskFailure) in
            let made = try await server.desk.joinCode(wish, as: try server.signedIn(context))
            return server.page(
                "box-code",
                [
                    "section": "boxes", "code": made.code, "whose": words.markup("boxCodeWhose", name, made.number),
                    "validity": words.text("boxCodeValidity", "\(hours)"), "back": "/boxes",
                    "backLabel": words.plain("toBoxes"),
                ], context)
        }
    }

    // MARK: - Removing and unsuspending

    /// Returns the box that the person saw. Throws if no box now has that number, or one with another name.
    private func box(_ fields: Form, _ context: PageContext) async throws -> BoxListing {
        let number = fields.trimmed("number")
        let found = try await server.desk.box(number, as: try server.administrator(context))
        guard let found, fields["name"].map({ $0 == found.name }) ?? true else {
            throw PageRefusal(status: .notFound, key: "errorNoBox")
        }
        return found
    }

    private func confirmation(
        _ box: BoxListing, _ what: String, _ context: PageContext
    ) -> Confirmation {
        Confirmation(
            section: "boxes", title: "title-box-" + what, warning: what + "BoxText", button: what + "BoxNow",
            question: server.views.words(context).markup(what + "Box", box.name, box.number),
            action: "/box/" + what, fields: [("number", box.number), ("name", box.name)],
            back: BoxPages.place(of: box.number))
    }

    @Sendable private func askToRemove(_ request: Request, _ context: PageContext) async throws -> Response {
        server.ask(confirmation(try await box(context.query, context), "remove", context), context)
    }

    @Sendable private func remove(_ request: Request, _ context: PageContext) async throws -> Response {
        let box = try await box(context.form, context)
        return await server.perform(
            confirmation(box, "remove", context), done: "/boxes?done=removedBox", context
        ) { .removeBox(name: box.name, reason: $0) }
    }

    @Sendable private func askToUnsuspend(_ request: Request, _ context: PageContext) async throws -> Response {
        server.ask(confirmation(try await box(context.query, context), "unsuspend", context), context)
    }

    @Sendable private func unsuspend(_ request: Request, _ context: PageContext) async throws -> Response {
        let box = try await box(context.form, context)
        return await server.perform(
            confirmation(box, "unsuspend", context), done: BoxPages.place(of: box.number) + "&done=unsuspended",
            context
        ) { .unsuspendBox(number: box.number, reason: $0) }
    }
}
