import PAMProtocol

extension UnavailableReason {
    /// The reason why a program gets no credential, for the log and the administrator.
    var words: String {
        switch self {
        case .noTap: "no phone tapped in time"
        case .serviceNotAllowed: "its service is in neither login.services nor elevation.services"
        case .remote: "its user comes over a network"
        case .callerNotAllowed: "the user that runs it may not receive passwords"
        case .busy: "another program waits for the same tap"
        case .agentFault: "boxagentd is stopping or cannot use its vault"
        case .withdrawn: "the tap was withdrawn or the phone was revoked"
        case .noPhone: "no connected phone of this user can allow it"
        case .declined: "it was not allowed on the phone"
        case .notAtSeat: "it does not run in an unlocked session at this machine"
        }
    }
}
