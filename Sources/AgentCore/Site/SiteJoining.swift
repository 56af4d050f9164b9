import ControlProtocol
import Secrets
import SiteLink
import SiteTrust

/// What a join code says. Its secret is held as long as the box tries.
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

/// A box on its way into a site, for the command that waits.
struct SiteJoining: Sendable {
    /// What is wrong, and what to do.
    struct Problem: Sendable {
        let kind: FailureKind
        let what: String
        let cure: String
    }

    /// From the command to its end.
    static let limit: Duration = .seconds(60)
    /// After a server that is there and cannot help yet.
    static let pause: Duration = .seconds(1)
    /// Stages that the command is told at most.
    static let stageLimit = 24
    /// At most, after servers that could not be reached.
    static let longestPause: Duration = .seconds(10)

    let control: ControlID
    let wish: JoinWish
    let until: Duration
    var link: SiteLinkState
    /// What the server that is shaken hands with showed, by the code's root.
    var pin: SitePin?
    /// Servers that cannot help, whatever time passes.
    var hopeless: Set<SiteAddress> = []
    /// The site has this box's key: an earlier join was not written down here. No code is needed then.
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

    /// None while the certificate is being written.
    var deadline: Duration? { certificate == nil ? min(until, link.deadline ?? until) : nil }

    static func unreachable(_ server: SiteAddress, _ why: String) -> Problem {
        Problem(
            kind: .timedOut,
            what: "no server of the site could be reached: "
                + (names(server, in: why) ? why : "\(server.text): \(why)"),
            cure: "check the network and the firewall, then join again; see /usr/share/doc/boxagent/how-to/run-boxes.md"
        )
    }

    /// By bytes: the search for a text in a text brings regular expressions (docs/decisions/025-packaging.md).
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
