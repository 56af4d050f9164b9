import Hummingbird
import Logging
import PageCore

/// The page's routes.
struct PageServer: Sendable {
    let configuration: PageConfiguration
    let desk: SiteDesk
    let state: PageState
    let views: PageViews

    /// Discards Hummingbird's log. It adds nothing to the answers, and names and addresses must stay out of logs.
    static let quietLogger = Logger(label: "boxsite-page") { _ in SwiftLogNoOpLogHandler() }

    func router() -> Router<PageContext> {
        let router = Router(context: PageContext.self)
        let signIn = SignIn(configuration: configuration, state: state, desk: desk)
        router.add(middleware: PageGate(configuration: configuration, state: state, views: views, signIn: signIn))
        for path in PageAssets.paths {
            router.get(RouterPath(path)) { _, _ in PageAssets.response(path) }
        }
        router.get("/") { _, _ in PageViews.redirect("/boxes") }
        router.post("/language", use: chooseLanguage)
        SignInPages(server: self, signIn: signIn).add(to: router)
        BoxPages(server: self).add(to: router)
        BoxChangePages(server: self).add(to: router)
        BulkPages(server: self).add(to: router)
        PhonePages(server: self).add(to: router)
        EnrolmentPages(server: self).add(to: router)
        ProposalPages(server: self).add(to: router)
        AuditPages(server: self).add(to: router)
        AdministratorPages(server: self).add(to: router)
        StatusPages(server: self).add(to: router)
        return router
    }

    func page(
        _ name: String, _ model: PageViews.Model = [:], _ context: PageContext, status: HTTPResponse.Status = .ok
    ) -> Response {
        views.page(name, model, context, status: status)
    }

    /// Returns the signed-in administrator, whom the gate has checked.
    func administrator(_ context: PageContext) throws -> String {
        guard let session = context.visitor.session else { throw PageRefusal(status: .seeOther, key: "/sign-in") }
        return session.administrator
    }

    @Sendable private func chooseLanguage(_ request: Request, _ context: PageContext) async throws -> Response {
        var response = PageViews.redirect("/")
        if let code = context.form["language"], PageLanguage.names.contains(where: { $0.0 == code }) {
            response.setCookie(
                Cookie(
                    name: PageGate.languageCookie, value: code, maxAge: 31_536_000, path: "/",
                    secure: configuration.origin.isSecure, httpOnly: true, sameSite: .strict))
        }
        return response
    }
}
