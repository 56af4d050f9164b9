import HTTPTypes
import Hummingbird
import PageCore

/// Who asks, and how somebody signs in: by a passkey, or by the word of a proxy.
struct SignIn: Sendable {
    let configuration: PageConfiguration
    let state: PageState
    let desk: SiteDesk

    /// Who asks. A browser without our cookie gets one.
    func visitor(of request: Request, cookie: String) async -> PageVisitor {
        var visitor = PageVisitor()
        if let text = request.cookies[cookie]?.value, let token = Base64URL.bytes(text, limit: Sessions.tokenBytes),
            token.count == Sessions.tokenBytes
        {
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

    /// Every now and then boxsited is asked whether the passkey still is one: whoever was removed is out, also here.
    private func isStillGood(_ session: PageSession, _ token: [UInt8]) async -> Bool {
        guard let id = session.credentialID, await state.isDueForCheck(token) else { return true }
        do throws(DeskFailure) {
            if try await desk.passkey(id)?.administrator == session.administrator { return true }
        } catch {
            // boxsited does not answer: then it does nothing for this session either.
            return true
        }
        await state.end(token)
        return false
    }

    /// The proxy says with every request who it is; nobody stays signed in whom it does not name.
    private func hear(_ header: String, of request: Request, _ visitor: inout PageVisitor) async {
        let name = HTTPField.Name(header).flatMap { request.headers[values: $0].only } ?? ""
        if let session = visitor.session, session.administrator == name { return }
        if visitor.session != nil { await state.end(visitor.token) }
        visitor.session = nil
        guard !name.isEmpty, let token = await state.begin(administrator: name, credentialID: nil) else { return }
        visitor = PageVisitor(token: token, session: await state.session(token), isNew: true)
    }

    /// Signs in by what a browser has sent: a session of its own, under a token that nobody had before.
    func byPasskey(_ form: Form, _ visitor: PageVisitor) async throws -> PageVisitor {
        guard await state.mayAttempt() else { throw PageRefusal(status: .tooManyRequests, key: "errorBusy") }
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
            // boxsited looks for itself, and writes it down.
            _ = try await desk.usePasskey(assertion.credentialID, counter: 0)
            throw PageRefusal(status: .forbidden, key: "errorPasskeyCopied")
        } catch {
            throw PageRefusal(status: .forbidden, key: Self.sentence(error))
        }
        guard await state.claim(claimed, .signIn, holder: visitor.token) else {
            throw PageRefusal(status: .forbidden, key: Self.sentence(.staleChallenge))
        }
        // Two at once with one counter: boxsited lets one of them through.
        guard try await desk.usePasskey(assertion.credentialID, counter: counter) else {
            throw PageRefusal(status: .forbidden, key: "errorPasskeyCopied")
        }
        await state.attemptWasGood()
        guard
            let token = await state.begin(
                administrator: passkey.administrator, credentialID: assertion.credentialID)
        else { throw PageRefusal(status: .serviceUnavailable, key: "errorBusy") }
        return PageVisitor(token: token, session: await state.session(token), isNew: true)
    }

    /// Keeps a passkey that a browser has made, for whom the one-time code is; their name.
    func register(_ form: Form, _ visitor: PageVisitor) async throws -> String {
        guard await state.mayAttempt() else { throw PageRefusal(status: .tooManyRequests, key: "errorBusy") }
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
        let name = try await desk.addPasskey(made, code: form.trimmed("code"))
        await state.attemptWasGood()
        return name
    }

    /// What stands for an administrator in an authenticator: no name.
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
    /// The one element; nil where there are none or several.
    var only: Element? { count == 1 ? first : nil }
}
