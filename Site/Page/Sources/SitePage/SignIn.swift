import HTTPTypes
import Hummingbird
import PageCore

/// Identifies visitors, and signs administrators in by a passkey or a proxy's header.
struct SignIn: Sendable {
    let configuration: PageConfiguration
    let state: PageState
    let desk: SiteDesk

    /// Returns the token in the browser's cookie, or nil if there is none.
    func token(of request: Request) -> [UInt8]? {
        guard let text = request.cookies[PageGate.cookieName(configuration)]?.value,
            let token = Base64URL.bytes(text, limit: Sessions.tokenBytes), token.count == Sessions.tokenBytes
        else { return nil }
        return token
    }

    /// Returns the network that the proxy's header names, or nil if the page does not know it.
    func network(of request: Request) -> ClientNetwork? {
        guard let header = configuration.addressHeader.flatMap({ HTTPField.Name($0) }), isByProxy(request) else {
            return nil
        }
        return request.headers[values: header].only.flatMap { ClientNetwork($0) }
    }

    /// Returns the visitor with that cookie's token. A browser without our cookie gets one.
    func visitor(of request: Request, token: [UInt8]?) async -> PageVisitor {
        var visitor = PageVisitor()
        if let token {
            visitor.token = token
            visitor.session = await state.session(token)
            if let session = visitor.session, await !isStillGood(session, token) { visitor.session = nil }
        } else {
            visitor.token = randomBytes(Sessions.tokenBytes)
            visitor.isNew = true
        }
        if let header = configuration.administratorHeader { await hear(header, of: request, &visitor) }
        return visitor
    }

    /// Asks boxsited at intervals whether the passkey is still valid. A removed administrator loses the session.
    private func isStillGood(_ session: PageSession, _ token: [UInt8]) async -> Bool {
        guard let id = session.credentialID, await state.isDueForCheck(token) else { return true }
        do throws(DeskFailure) {
            if try await desk.passkey(id)?.administrator == session.administrator { return true }
        } catch {
            // The session stays: boxsited does not answer, so it performs nothing for this session either.
            return true
        }
        await state.end(token)
        return false
    }

    /// Takes the user from the proxy's header. A session ends if the header does not name the session's administrator.
    private func hear(_ header: String, of request: Request, _ visitor: inout PageVisitor) async {
        var name = HTTPField.Name(header).flatMap { request.headers[values: $0].only } ?? ""
        if !name.isEmpty, !isByProxy(request) { (name, visitor.lacksSecret) = ("", true) }
        if let session = visitor.session, session.administrator == name { return }
        if visitor.session != nil { await state.end(visitor.token) }
        visitor.session = nil
        guard !name.isEmpty, let token = await state.begin(administrator: name, credentialID: nil) else { return }
        await state.signedIn(from: network(of: request))
        visitor = PageVisitor(token: token, session: await state.session(token), isNew: true)
    }

    /// Returns whether the request has the proxy's secret, if there is one.
    private func isByProxy(_ request: Request) -> Bool {
        guard let secret = configuration.proxySecret else { return true }
        return HTTPField.Name(ProxySecret.header).map { secret.isSent(request.headers[values: $0]) } ?? false
    }

    /// Signs in with a browser's proof, and starts a session with a new token.
    func byPasskey(_ form: Form, _ visitor: PageVisitor) async throws -> PageVisitor {

        let assertion: PasskeyAssertion
        do throws(PasskeyError) {
            assertion = try PasskeyAssertion(
                credentialID: bytes(form, "credential", PageLimits.credentialIDBytes),
                clientData: bytes(form, "client", PageLimits.clientDataBytes),
                authenticatorData: bytes(form, "authenticator", PageLimits.authenticatorDataBytes),
                signature: bytes(form, "signature", PageLimits.signatureBytes))
        } catch {
            throw PageRefusal(status: .badRequest, key: "errorPasskey")
        }
        guard let passkey = try await desk.passkey(assertion.credentialID) else {
            throw PageRefusal(status: .forbidden, key: "errorPasskeyUnknown")
        }
        var claimed: [UInt8] = []
        let counter: UInt32
        do throws(PasskeyError) {
            counter = try assertion.verify(
                publicKey: passkey.key, counter: passkey.counter, at: PasskeyPlace(configuration.origin)
            ) { challenge in
                claimed = challenge
                return true
            }
        } catch .counterWentBack {
            // Sends a counter that cannot rise, so that boxsited records the event.
            _ = try await desk.usePasskey(assertion.credentialID, counter: 0)
            throw PageRefusal(status: .forbidden, key: "errorPasskeyCopied")
        } catch {
            throw PageRefusal(status: .forbidden, key: Self.sentence(error))
        }
        guard await state.claim(claimed, .signIn, holder: visitor.token) else {
            throw PageRefusal(status: .forbidden, key: Self.sentence(.staleChallenge))
        }
        // Two proofs may have the same counter; boxsited accepts only one.
        guard try await desk.usePasskey(assertion.credentialID, counter: counter) else {
            throw PageRefusal(status: .forbidden, key: "errorPasskeyCopied")
        }
        guard
            let token = await state.begin(
                administrator: passkey.administrator, credentialID: assertion.credentialID)
        else { throw PageRefusal(status: .serviceUnavailable, key: "errorBusy") }
        await state.signedIn(from: visitor.network)

        return PageVisitor(token: token, session: await state.session(token), isNew: true)
    }

    /// Stores a browser's new passkey for the owner of the one-time code, and returns the owner's name.
    func register(_ form: Form, _ visitor: PageVisitor) async throws -> String {
        var claimed: [UInt8] = []
        let made: PasskeyRegistration
        do throws(PasskeyError) {
            made = try PasskeyRegistration(
                clientData: bytes(form, "client", PageLimits.clientDataBytes),
                attestation: bytes(form, "attestation", PageLimits.attestationBytes),
                at: PasskeyPlace(configuration.origin)
            ) { challenge in
                claimed = challenge
                return true
            }
        } catch {
            throw PageRefusal(status: .forbidden, key: Self.sentence(error))
        }
        guard await state.claim(claimed, .register, holder: visitor.token) else {
            throw PageRefusal(status: .forbidden, key: Self.sentence(.staleChallenge))
        }
        return try await desk.addPasskey(made, code: form.trimmed("code"))

    }

    /// The administrator's user handle, which is not a name.
    static func handle(of name: String) -> [UInt8] { PasskeyHandle.bytes(of: name) }

    private func bytes(_ form: Form, _ name: String, _ limit: Int) throws(PasskeyError) -> [UInt8] {
        guard let bytes = Base64URL.bytes(form[name] ?? "", limit: limit), !bytes.isEmpty else { throw .malformed }
        return bytes
    }

    private static func sentence(_ error: PasskeyError) -> String {
        switch error {
        case .staleChallenge: "errorPasskeyStale"
        case .notVerified: "errorPasskeyNotVerified"
        case .otherAlgorithm: "errorPasskeyAlgorithm"
        case .counterWentBack: "errorPasskeyCopied"
        case .malformed, .otherCeremony, .otherOrigin, .otherHost, .wrongSignature, .otherCredential: "errorPasskey"
        }
    }
}

extension Collection {
    /// The only element, or nil if there are none or several.
    var only: Element? { count == 1 ? first : nil }
}
