import AgentCore
import OpenMetrics
import PhoneMessages

/// The counters and their text. Pure. No label names a user or device: each has few values, all present at the start.
struct AgentMetrics: Equatable, Sendable {
    enum Event: Equatable, Sendable {
        /// PAM's verdict on a tap, with the time since the tap.
        case loginJudged(ResultCode, after: Duration)
        case pinWrong
        case credentialWiped
        /// Phones were enrolled or revoked; the number is read when the file is written.
        case phonesChanged
        case linkEnded(ChannelEnd)
        case radio(isWorking: Bool)
    }

    /// The result of a login.
    enum LoginResult: String, CaseIterable, Sendable {
        case correct, wrong, unknown, locked, expired
        case mustChange = "must_change"
        /// After the password was accepted, another check, the account or the session refused the login.
        case refused
        case other

        init(_ code: ResultCode) {
            self =
                switch code {
                case .correct: .correct
                case .wrongCredentials: .wrong
                case .outcomeUnknown: .unknown
                case .accountLocked: .locked
                case .accountExpired: .expired
                case .passwordMustChange: .mustChange
                case .accountDenied, .notLetIn, .sessionFailed: .refused
                default: .other
                }
        }
    }

    /// Number of phones that may log in.
    var phonesEnrolled: Int64 = 0
    private var radioIsWorking = false
    private var logins: [LoginResult: UInt64] = [:]
    /// The bounds cover a quick tap, a tap that waited for its program, and one that waited for a slow directory.
    private var loginTime = TimeHistogram(bounds: [0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0])
    private var wrongPINs: UInt64 = 0
    private var wipes: UInt64 = 0
    private var linkErrors: [LinkErrorReason: UInt64] = [:]

    /// Counts an event, and returns whether the file's content changes.
    mutating func count(_ event: Event) -> Bool {
        switch event {
        case .loginJudged(let code, let time):
            logins[LoginResult(code), default: 0] += 1
            loginTime.add(time)
        case .pinWrong: wrongPINs += 1
        case .credentialWiped: wipes += 1
        case .phonesChanged: break
        case .radio(let isWorking):
            guard radioIsWorking != isWorking else { return false }
            radioIsWorking = isWorking
        case .linkEnded(let end):
            guard let reason = LinkErrorReason(end) else { return false }
            linkErrors[reason, default: 0] += 1
        }
        return true
    }

    var families: [MetricFamily] {
        [
            .gauge(
                "boxagent_build_info", "Always 1; the version of boxagentd.",
                labels: "{version=\"\(AgentVersion.text)\"}", 1),
            .counter(
                "boxagent_logins", "Taps that a program took, by result.", by: "result",
                LoginResult.allCases.map { ($0.rawValue, logins[$0] ?? 0) }),
            .histogram(
                "boxagent_login_duration_seconds",
                "From the tap to the verdict of PAM, including the wait for the program.",
                loginTime),
            .counter("boxagent_wrong_pins", "Wrong PINs for credentials that the box holds.", wrongPINs),
            .counter(
                "boxagent_wipes", "Stored credentials destroyed by too many wrong PINs or by boxagent wipe.", wipes),
            .gauge("boxagent_phones_enrolled", "Phones that may log in.", phonesEnrolled),
            .gauge("boxagent_radio_working", "1 while phones can find the box, 0 otherwise.", radioIsWorking ? 1 : 0),
            .counter(
                "boxagent_link_errors", "Links that ended because of an error, by reason.", by: "reason",
                LinkErrorReason.allCases.map { ($0.rawValue, linkErrors[$0] ?? 0) }),
        ]
    }

    /// The text in OpenMetrics 1.0.
    var text: String { MetricFamily.text(of: families) }
}

/// The errors of a link. A link that a phone or the agent ends properly is not an error.
enum LinkErrorReason: String, CaseIterable, Sendable {
    case handshakeTimedOut = "handshake_timed_out"
    case handshakeMalformed = "handshake_malformed"
    case handshakeRefused = "handshake_refused"
    case unknownDevice = "unknown_device"
    case unknownCode = "unknown_code"
    case tooManyAttempts = "too_many_attempts"
    case notAuthenticated = "not_authenticated"
    case protocolViolation = "protocol_violation"
    case outboxFull = "outbox_full"
    case vaultUnavailable = "vault_unavailable"

    init?(_ end: ChannelEnd) {
        switch end {
        case .handshakeTimedOut: self = .handshakeTimedOut
        case .handshakeMalformed: self = .handshakeMalformed
        case .handshakeRefused: self = .handshakeRefused
        case .unknownDevice: self = .unknownDevice
        case .unknownCode: self = .unknownCode
        case .tooManyAttempts: self = .tooManyAttempts
        case .notAuthenticated: self = .notAuthenticated
        case .protocolViolation: self = .protocolViolation
        case .outboxFull: self = .outboxFull
        case .vaultUnavailable: self = .vaultUnavailable
        case .linkClosed, .expired, .replaced, .enrolmentRefused, .grantRefused, .carryOver, .revoked, .agentStops:
            return nil
        }
    }
}
