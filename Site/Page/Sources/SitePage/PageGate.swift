import HTTPTypes
import Hummingbird
import NIOCore
import PageCore

/// The checks on every request, which no page can skip: bounds, host, origin, session, form, and the answer's headers.
struct PageGate: RouterMiddleware {
    typealias Context = PageContext

    let configuration: PageConfiguration
    let state: PageState
    let views: PageViews
    let signIn: SignIn

    /// The pages for visitors who are not signed in.
    private static let open: Set<String> = ["/sign-in", "/register", "/register/passkey", "/language"]

    func handle(
        _ request: Request, context: PageContext, next: @concurrent (Request, PageContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        var response: Response
        do {
            context.language = language(of: request)
            try await admit(request, &context)
            response = try await next(request, context)
        } catch let refusal as PageRefusal {
            response = views.refusal(refusal, context)
        } catch let failure as DeskFailure {
            response = views.failure(failure, context)
        } catch let error as HTTPError where error.status == .notFound {
            response = views.refusal(PageRefusal(status: .notFound, key: "errorNotFound"), context)
        } catch {
            response = views.refusal(PageRefusal(status: .badRequest, key: "errorRequest"), context)
        }
        if context.visitor.isNew { Self.setCookie(context.visitor.token, of: configuration, in: &response) }
        setHeaders(of: request, in: &response)
        return response
    }

    // MARK: - Requests

    private func admit(_ request: Request, _ context: inout PageContext) async throws {
        let (token, network) = (signIn.token(of: request), signIn.network(of: request))
        guard await state.mayAsk(token, from: network) else {
            throw PageRefusal(status: .tooManyRequests, key: "errorBusy")
        }
        guard request.method == .get || request.method == .post else {
            throw PageRefusal(status: .methodNotAllowed, key: "errorRequest")
        }
        let facts = RequestCheck.Facts(
            authority: request.head.authority, otherHosts: request.headers[values: .pageHost],
            transferEncodings: request.headers[values: .transferEncoding],
            origin: request.headers[.origin], fetchSite: request.headers[.secFetchSite], isPost: request.method == .post
        )
        switch RequestCheck.verdict(facts, configuration.origin) {
        case .good: break
        case .ambiguous: throw PageRefusal(status: .badRequest, key: "errorRequest")
        case .otherHost: throw PageRefusal(status: .misdirectedRequest, key: "errorHost")
        case .otherOrigin: throw PageRefusal(status: .forbidden, key: "errorOrigin")
        }
        if PageAssets.has(request.uri.path) { return }
        guard let query = Form(Array((request.uri.query ?? "").utf8)) else {
            throw PageRefusal(status: .badRequest, key: "errorRequest")
        }
        context.query = query
        context.visitor = await signIn.visitor(of: request, token: token)
        context.visitor.network = network

        if request.method == .post { context.form = try await form(of: request, context) }
        guard context.visitor.session != nil || Self.open.contains(request.uri.path) else {
            throw PageRefusal(status: .seeOther, key: "/sign-in")
        }
    }

    private func form(of request: Request, _ context: PageContext) async throws -> Form {
        guard request.headers[.contentType] == "application/x-www-form-urlencoded" else {
            throw PageRefusal(status: .unsupportedMediaType, key: "errorRequest")
        }
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: PageLimits.formBytes)
        } catch {
            throw PageRefusal(status: .contentTooLarge, key: "errorRequest")
        }
        guard let form = Form(Array(body.readableBytesView)) else {
            throw PageRefusal(status: .badRequest, key: "errorRequest")
        }
        guard state.forms.isGood(form["token"], for: context.visitor.token) else {
            throw PageRefusal(status: .forbidden, key: "errorToken")
        }
        return form
    }

    private func language(of request: Request) -> String {
        if let chosen = request.cookies[Self.languageCookie]?.value,
            PageLanguage.names.contains(where: { $0.0 == chosen })
        {
            return chosen
        }
        return PageLanguage.best(of: request.headers[.acceptLanguage])
    }

    // MARK: - Answers

    static let languageCookie = "boxsite-language"

    /// The prefix makes browsers accept the cookie only from this host and over https (RFC 6265bis section 4.1.3.2).
    static func cookieName(_ configuration: PageConfiguration) -> String {
        configuration.origin.isSecure ? "__Host-boxsite" : "boxsite"
    }

    static func setCookie(_ token: [UInt8], of configuration: PageConfiguration, in response: inout Response) {
        response.setCookie(
            Cookie(
                name: cookieName(configuration), value: Base64URL.text(token), path: "/",
                secure: configuration.origin.isSecure,
                httpOnly: true, sameSite: .strict))
    }

    private func setHeaders(of request: Request, in response: inout Response) {
        for (name, value) in Self.headers { response.headers[name] = value }
        if configuration.origin.isSecure { response.headers[.strictTransportSecurity] = "max-age=31536000" }
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    }

    private static let headers: [(HTTPField.Name, String)] = [
        (
            .contentSecurityPolicy,
            "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
                + "trusted-types 'none'"
        ),
        (.xContentTypeOptions, "nosniff"),
        // With no-referrer, browsers would hide our forms' origin (Fetch Standard, "append a request Origin").
        (.pageReferrerPolicy, "same-origin"),
        (.pageFrameOptions, "DENY"),
        (.pageOpenerPolicy, "same-origin"), (.pageResourcePolicy, "same-origin"),
        (
            .pagePermissionsPolicy,
            "publickey-credentials-get=(self), publickey-credentials-create=(self), camera=(), microphone=(), "
                + "geolocation=(), bluetooth=(), usb=(), serial=(), hid=(), display-capture=(), payment=()"
        ),
    ]
}

extension HTTPField.Name {
    static func pageName(_ text: String) -> HTTPField.Name { HTTPField.Name(text) ?? .contentSecurityPolicy }

    /// The first Host header is not among the fields: it is the request's authority.
    static let pageHost = pageName("Host")
    static let secFetchSite = pageName("Sec-Fetch-Site")
    static let pageReferrerPolicy = pageName("Referrer-Policy")
    static let pageFrameOptions = pageName("X-Frame-Options")
    static let pageOpenerPolicy = pageName("Cross-Origin-Opener-Policy")
    static let pageResourcePolicy = pageName("Cross-Origin-Resource-Policy")
    /// Makes proxies pass data on at once (nginx: proxy_buffering).
    static let pageBuffering = pageName("X-Accel-Buffering")
    static let pagePermissionsPolicy = pageName("Permissions-Policy")
}
