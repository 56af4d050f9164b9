import Hummingbird
import PageCore

/// Signing in and out, and making a passkey with a one-time code.
struct SignInPages: Sendable {
    let server: PageServer
    let signIn: SignIn

    func add(to router: Router<PageContext>) {
        router.get("/sign-in") { _, context in signInPage(context) }
        router.post("/sign-in", use: takePasskey)
        router.post("/sign-out", use: signOut)
        router.get("/register") { _, context in server.page("register", [:], context) }
        router.post("/register", use: begin)
        router.post("/register/passkey", use: finish)
    }

    private func signInPage(_ context: PageContext) -> Response {
        if context.visitor.session != nil { return PageViews.redirect("/boxes") }
        return server.page(
            "sign-in",
            [
                "challenge": challenge(.signIn, context), "host": server.configuration.origin.host,
                "isByProxy": server.configuration.administratorHeader != nil,
                "lacksSecret": context.visitor.lacksSecret,
                "isMade": context.query["made"] != nil,
            ], context)
    }

    private func challenge(_ purpose: ChallengeMint.Purpose, _ context: PageContext) -> String {
        Base64URL.text(
            server.state.challenges.make(purpose, holder: context.visitor.token, now: server.state.now))
    }

    @Sendable private func takePasskey(_ request: Request, _ context: PageContext) async throws -> Response {
        guard server.configuration.administratorHeader == nil else {
            throw PageRefusal(status: .forbidden, key: "errorByProxy")
        }
        return try await server.signedIn(try await signIn.byPasskey(context.form, context.visitor), "/boxes")
    }

    @Sendable private func signOut(_ request: Request, _ context: PageContext) async throws -> Response {
        await server.state.end(context.visitor.token)
        return PageViews.redirect("/sign-in")
    }

    @Sendable private func begin(_ request: Request, _ context: PageContext) async throws -> Response {
        let code = context.form.trimmed("code")
        let name: String
        do throws(DeskFailure) {
            name = try await server.desk.administrator(ofCode: code)

        } catch {
            guard case .refused = error.kind else { throw error }
            return server.page(
                "register", ["problem": server.views.words(context).plain("errorCode")], context,
                status: .unprocessableContent)
        }
        return server.page(
            "passkey",
            [
                "challenge": challenge(.register, context), "host": server.configuration.origin.host, "code": code,
                "name": name, "handle": Base64URL.text(SignIn.handle(of: name)),
                "whose": server.views.words(context).markup("passkeyWhose", name),
            ], context)
    }

    @Sendable private func finish(_ request: Request, _ context: PageContext) async throws -> Response {
        _ = try await signIn.register(context.form, context.visitor)
        return PageViews.redirect("/sign-in?made=1")
    }
}

extension PageServer {
    /// Returns a redirect that gives the browser its new token.
    func signedIn(_ visitor: PageVisitor, _ path: String) async throws -> Response {
        var response = PageViews.redirect(path)
        PageGate.setCookie(visitor.token, of: configuration, in: &response)
        return response
    }
}
