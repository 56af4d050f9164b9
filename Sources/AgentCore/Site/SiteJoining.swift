import ControlProtocol
import Secrets
import SiteLink
import SiteTrust

/// The contents of a join code. The secret is kept while the box tries to join.
struct JoinWish: Sendable {
    let rootKey: [UInt8]
    let codeID: [UInt8]
    let secret: HeldSecret
    let servers: [SiteAddress]

    init(_ text: HeldSecret) throws(JoinCodeError) {
        let code = try JoinCode(parsing: text.bytes)
        rootKey = code.rootKey
        codeID = code.codeID
        secret = HeldSecret(code.secret.copy())
        servers = code.servers
    }
}

/// The attempt of a box to join a site, for a command that waits.
struct SiteJoining: Sendable {
    /// A problem and its cure.
    struct Problem: Sendable {
        let kind: FailureKind
        let what: String
        let cure: String
    }

    /// The longest time of the whole attempt.
    static let limit: Duration = .seconds(60)
    /// The pause after a reachable server that cannot help yet.
    static let pause: Duration = .seconds(1)
    /// The most progress messages that the waiting command gets.
    static let stageLimit = 24
    /// The longest pause after servers that could not be reached.
    static let longestPause: Duration = .seconds(10)

    let control: ControlID
    let wish: JoinWish
    let until: Duration
    var link: SiteLinkState
    /// The document that the current server showed, verified by the code's root.
    var pin: SitePin?
    /// Servers that can never help.
    var hopeless: Set<SiteAddress> = []
    /// True if the site has this box's key from an earlier join that was not stored here. No code is needed then.
    var isKnown = false
    var problem: Problem?
    var pause = SitePause()
    /// The stages that the command was told.
    var told: Set<String> = []
    var inbox = SiteInbox()
    /// The certificate that is being written.
    var certificate: SiteBoxCertificate?

    init(control: ControlID, wish: JoinWish, now: Duration) {
        self.control = control
        self.wish = wish
        until = now + Self.limit
        link = .idle(until: now)
    }

    /// Nil while the certificate is being written.
    var deadline: Duration? { certificate == nil ? min(until, link.deadline ?? until) : nil }

    static func unreachable(_ server: SiteAddress, _ why: String) -> Problem {
        Problem(
            kind: .timedOut,
            what: "no server of the site could be reached: "
                + (names(server, in: why) ? why : "\(server.text): \(why)"),
            cure: "check the network and the firewall, then join again; see /usr/share/doc/boxagent/how-to/run-boxes.md"
        )
    }

    /// Searches by bytes: a search by text would link regular expressions (docs/decisions/025-packaging.md).
    private static func names(_ server: SiteAddress, in why: String) -> Bool {
        let (text, wanted) = (Array(why.utf8), server.bytes)
        return text.indices.contains { text[$0...].starts(with: wanted) }
    }

    static func notOfSite(_ server: SiteAddress, _ error: SiteError) -> Problem {
        switch error {
        case .issuerExpired:
            Problem(
                kind: .fault, what: "the certificate of the server \(server.text) has expired",
                cure: "check the server's clock, and renew its certificate")
        default:
            Problem(
                kind: .invalid,
                what: "the server \(server.text) does not belong to the code's site: its proof \(error)",
                cure: "ask the site's administrator for a new code (boxsite box add)")
        }
    }

    static func wrongCode(_ server: SiteAddress) -> Problem {
        Problem(
            kind: .invalid, what: "the server \(server.text) does not accept the code",
            cure: "copy the whole code, or ask for a new one (boxsite box add)")
    }

    static func notCertified(_ error: SiteError) -> Problem {
        Problem(
            kind: .fault, what: "the certificate that the site gave this box \(error)",
            cure: "check the server's clock and log, then join again with a new code")
    }
}

extension SiteAddress {
    var text: String { String(decoding: bytes, as: UTF8.self) }
}
