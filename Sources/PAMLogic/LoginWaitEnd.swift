#if hasFeature(Embedded)
    import AgentProtocolEmbedded
#else
    import AgentProtocol
#endif

/// Why a wait ended without a credential. The program goes on to its password prompt in every case.
public enum LoginWaitEnd: Equatable, Sendable {
    /// The whole of `wait=` went by.
    case noTap
    /// The agent took the connection and said nothing.
    case agentSilent
    /// The agent waited, and then missed two signs of life.
    case heartbeatStopped
    case closed
    case garbled
    /// More messages than a wait can need.
    case flooded
    case unavailable(UnavailableReason)

    /// Whether an administrator should look; the others are daily business, logged with `debug` only.
    public var isFault: Bool {
        switch self {
        case .noTap, .unavailable(.noTap), .unavailable(.withdrawn), .unavailable(.serviceNotAllowed): false
        default: true
        }
    }

    /// What is wrong and what to do, for the log.
    public var line: TextLine {
        switch self {
        case .noTap, .unavailable(.noTap): TextLine("nobody tapped")
        case .agentSilent: TextLine("boxagentd does not answer; see `systemctl status boxagentd`")
        case .heartbeatStopped: TextLine("boxagentd stopped answering; see `systemctl status boxagentd`")
        case .closed: TextLine("boxagentd closed the connection; its journal says why")
        case .garbled:
            TextLine("boxagentd sent what this module does not understand; are both of the same version?")
        case .flooded: TextLine("boxagentd sent too many messages; see `systemctl status boxagentd`")
        case .unavailable(.serviceNotAllowed):
            TextLine("this service is not among login.services in /etc/boxagent/boxagent.toml")
        case .unavailable(.remote): TextLine("refused: the caller comes over a network")
        case .unavailable(.callerNotAllowed):
            TextLine("refused: this program's user may not be given passwords; only root's programs are")
        case .unavailable(.busy): TextLine("two programs wait for one tap; tap again when only one does")
        case .unavailable(.agentFault): TextLine("boxagentd cannot serve; its journal says why")
        case .unavailable(.withdrawn): TextLine("the tap was withdrawn or the phone revoked")
        }
    }
}
