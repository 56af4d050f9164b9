#if hasFeature(Embedded)
    import PAMProtocolEmbedded
#else
    import PAMProtocol
#endif

/// The reason why a wait ended without a credential. In every case the program continues with its password prompt.
public enum LoginWaitEnd: Equatable, Sendable {
    /// The whole time of `wait=` passed.
    case noTap
    /// The agent accepted the connection but did not answer.
    case agentSilent
    /// The agent waited, then missed two heartbeats.
    case heartbeatStopped
    case closed
    case garbled
    /// The agent sent more messages than a wait can need.
    case flooded
    case unavailable(UnavailableReason)

    /// True if an administrator should act. Other ends are normal, and are logged only with `debug`.
    public var isFault: Bool {
        switch self {
        case .noTap, .unavailable(.noTap), .unavailable(.withdrawn), .unavailable(.serviceNotAllowed),
            .unavailable(.noPhone), .unavailable(.declined), .unavailable(.notAtSeat):
            false
        default: true
        }
    }

    /// The problem and its cure, for the log.
    public var line: TextLine {
        switch self {
        case .noTap, .unavailable(.noTap): TextLine("no phone tapped")
        case .agentSilent: TextLine("boxagentd does not answer; see `systemctl status boxagentd`")
        case .heartbeatStopped: TextLine("boxagentd stopped answering; see `systemctl status boxagentd`")
        case .closed: TextLine("boxagentd closed the connection; its journal says why")
        case .garbled:
            TextLine("boxagentd sent an unknown message; are both of the same version?")
        case .flooded: TextLine("boxagentd sent too many messages; see `systemctl status boxagentd`")
        case .unavailable(.serviceNotAllowed):
            TextLine("this service is in neither login.services nor elevation.services of /etc/boxagent/boxagent.toml")
        case .unavailable(.remote): TextLine("refused: the caller comes over a network")
        case .unavailable(.callerNotAllowed):
            TextLine("refused: only programs that root runs may be given passwords")
        case .unavailable(.busy):
            TextLine("another program waits for this phone, or it was asked a moment ago; try again later")
        case .unavailable(.agentFault): TextLine("boxagentd has a fault; its journal says why")
        case .unavailable(.noPhone): TextLine("no connected phone of this user can allow it")
        case .unavailable(.declined): TextLine("it was not allowed on the phone")
        case .unavailable(.notAtSeat):
            TextLine("refused: the program does not run in an unlocked session at this machine")
        case .unavailable(.withdrawn): TextLine("the tap was withdrawn or the phone revoked")
        }
    }
}
