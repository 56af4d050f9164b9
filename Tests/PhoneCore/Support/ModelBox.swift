import Links
import Names
import PhoneMessages
import Secrets
import SecureChannel
import SiteTrust
import TestSupport
import VaultPort

/// A box whose answers a test chooses: those of the protocol, or any other message.
final class ModelBox {
    static let binding: [UInt8] = [0x4D]

    let row: KnownBox
    let privateKey: SecretBytes
    let deviceKey = HeldSecret(SecretBytes(randomCount: 32))
    var deviceSecret: HeldSecret? = HeldSecret(SecretBytes(randomCount: 32))
    private let authority: Ed25519KeyPair
    /// Answers a request. The box answers hello and questions for site news without this closure.
    var answer: (PhoneRequestMessage) -> [BoxMessage]
    /// The number of requests that carried a secret of the user.
    private(set) var secretRequests = 0
    private(set) var requests = 0
    /// The serial of the box's certificate.
    var serial: UInt64 = 1
    /// The certificate from the box's site.
    var siteCertificate: [UInt8]?
    /// The hashes of the grants that the box has accepted.
    var grants: Set<[UInt8]> = []
    /// Set, but never read: the box's hello repeats the phone's capabilities.
    var capabilities: Capabilities = [.presence, .elevation, .logoutWarnings, .boxHeldCredentials, .sessionEnds]
    /// True if the box closes the channel after each answer.
    var hangsUp = false
    /// The refusal that answers hello, after `pushesBeforeRefusal`.
    var refusal: ResultCode?
    var pushesBeforeRefusal: [BoxMessage] = []
    /// Messages that follow the answer to hello.
    var pushesBehindHello: [BoxMessage] = []
    /// Returns the site document for a phone that asks for it and may have shown its own document. Nil ends the link.
    var document: (_ shown: [UInt8]?) -> [UInt8]? = { _ in nil }
    var documentsWanted: [[UInt8]?] = []
    /// Returns the site data to send ahead of the result. Without this closure, the box does not know the question.
    var news: ((SiteNewsQuestion) -> [BoxMessage])?
    /// False for an older box without enrolment notices.
    var knowsNotices = true
    private(set) var newsQuestions = 0
    /// True if the box does not answer the question for news.
    var isDeafToNews = false
    /// The grants that phones have shown, and the capabilities of the last phone.
    private(set) var shown: [ShownGrant?] = []
    private(set) var phoneCapabilities: Capabilities = []

    init(_ digits: String = "1234", confirmed: Bool = true, mode: CredentialMode = .boxHeld) throws {
        let key = X25519KeyPair()
        let authority = try Ed25519KeyPair(seed: SecretBytes(randomCount: 32))
        let authorityKey = authority.publicKey
        self.authority = authority
        privateKey = key.withPrivateKey { SecretBytes(copying: [UInt8](copying: $0)) }
        row = KnownBox(
            id: randomBytes(count: 16), boxID: Array(digits.utf8), boxKey: key.publicKey,
            authorityKey: authorityKey, highestSerial: 1, user: Array("alice".utf8), label: [], mode: mode,
            confirmed: confirmed, hasCredential: mode == .phoneHeld, hasDeviceSecret: true)
        answer = { Self.politely($0) }
    }

    var identity: [UInt8] {
        get throws {
            let certificate = try BoxCertificate.issue(
                boxID: row.boxID, boxKey: row.boxKey, serial: serial, authority: authority)
            return try BoxIdentity(
                certificate: certificate, authority: authority.publicKey, siteCertificate: siteCertificate
            ).bytes
        }
    }

    func heard(_ message: PhoneRequestMessage, on end: BoxEnd, now: Duration) {
        if case .hello(let versions, let capabilities, let grant) = message.request {
            shown.append(grant)
            phoneCapabilities = capabilities
            if let code = refuses(grant) {
                for said in pushesBeforeRefusal { end.say(said, now: now) }
                end.say(.result(message.id, code, .none), now: now)
                return end.sayGoodbye(now: now)
            }
            defer { for said in pushesBehindHello { end.say(said, now: now) } }
            var all = capabilities
            if news != nil { all.insert(.siteNews) }
            if news != nil, knowsNotices { all.insert(.enrolmentNotices) }
            return end.say(.hello(message.id, version: versions.last ?? 1, capabilities: all), now: now)
        }
        if let news, case .siteNews(let bytes) = message.request {
            newsQuestions += 1
            guard !isDeafToNews else { return }
            let told = (try? SiteNewsQuestion(parsing: bytes)).map(news) ?? []
            for said in told { end.say(said, now: now) }
            return end.say(.result(message.id, .correct, .none), now: now)
        }
        requests += 1
        switch message.request {
        case .login, .loginWithPIN, .storeCredential, .changePIN, .elevate, .elevateWithPIN: secretRequests += 1
        default: break
        }
        for said in answer(message) { end.say(said, now: now) }
        if hangsUp { end.sayGoodbye(now: now) }
    }

    /// Returns the reason to refuse a phone with this grant, or nil. Stores an accepted grant.
    private func refuses(_ grant: ShownGrant?) -> ResultCode? {
        if let refusal { return refusal }
        switch grant {
        case .hash(let hash): return grants.contains(hash) ? nil : .grantWanted
        case .whole(let bytes):
            if let claimed = try? ClaimedGrant(parsing: bytes) { grants.insert(claimed.hash) }
            return nil
        case nil: return nil
        }
    }

    static let state = BoxState(
        session: .active, user: Array("alice".utf8),
        autoLogout: AutoLogout(seconds: 0, minimumSeconds: 1, maximumSeconds: 60, mayBeOff: true),
        logoutInSeconds: nil, credentialStale: false, pinAttemptsLeft: 3)

    static func politely(_ message: PhoneRequestMessage) -> [BoxMessage] {
        switch message.request {
        case .hello, .reportSignal, .cancelLogin, .enrol, .reveal: []
        case .status: [.state(state), .result(message.id, .correct, .none)]
        case .ping(let bytes): [.pong(message.id, bytes)]
        case .enrolment: [.enrolled(message.id, enrolled)]
        case .login, .loginWithPIN:
            [.progress(message.id, .delivered), .result(message.id, .correct, .none), .state(state)]
        default: [.result(message.id, .correct, .none)]
        }
    }

    static let enrolled = EnrolResult(
        deviceID: [UInt8](repeating: 7, count: 16), user: Array("alice".utf8), credentialMode: .boxHeld,
        boxID: Array("1234".utf8))

    /// Returns a random message that a box can send, with `id` or a random id.
    static func anything(_ id: RequestID, using random: inout SeededGenerator) -> BoxMessage {
        let any = RequestID(rawValue: UInt32.random(in: 1...9, using: &random)) ?? id
        let id = Bool.random(using: &random) ? id : any
        switch Int.random(in: 0..<12, using: &random) {
        case 0: return .revoked
        case 1: return .result(id, .wiped, .none)
        case 2, 3:
            return .result(
                id, ResultCode.allCases.randomElement(using: &random) ?? .busy, ResultDetail(attemptsLeft: 2))
        case 4: return .state(state)
        case 5: return .progress(id, .waitingForPrompt)
        case 6: return .progress(id, .passwordAccepted)
        case 7: return .pong(id, [])
        case 8: return .enrolled(id, enrolled)
        case 9: return .logoutWarning(LogoutWarning(seconds: 60, cause: .idle, canExtend: true))
        case 10: return .enrolPending(id)
        default: return .result(id, .correct, .none)
        }
    }
}

extension ModelBox {
    /// Creates a box of the site, at which this phone was never enrolled.
    convenience init(_ number: String = "004711", of site: TestSite) throws {
        try self.init(number, mode: .phoneHeld)
        siteCertificate = try site.certificate(number, key: row.boxKey)
    }
}
