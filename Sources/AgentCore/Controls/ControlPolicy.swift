import AgentConfiguration
import ControlProtocol
import PAMProtocol
import TextOutput

/// Decides who may request what on the control socket (docs/decisions/015-login-rendezvous.md). Root administers. Any
/// user may read the box ID and the state, and lock or log out their own sessions.
package enum ControlPolicy {
    package static func allows(_ request: ControlRequest, _ caller: Caller) -> Bool {
        if caller.isAdministrator { return true }
        switch request {
        case .identity, .status, .site, .sessions, .explainPresence, .sessionHelper: return true
        // For `enrolSelf`, the session is checked later. Only the connection that showed the digits may confirm.
        case .enrolSelf, .confirmEnrolment: return true
        // The session's owner is checked later. Unlocking needs the phone, or root.
        case .session(let action, let selection): return action != .unlock && selection != .all
        default: return false
        }
    }

    /// Returns whether the caller may be a greeter: root, or a user that the configuration names.
    package static func allowsGreeter(named user: [UInt8]?, _ caller: Caller, _ login: Configuration.Login) -> Bool {
        if caller.isAdministrator { return true }
        guard let user, !caller.isNobody else { return false }
        return login.greeterUsers.contains { Array($0.utf8) == user }
    }
}

/// The texts of refusals: the problem and its cure.
package enum Refusals {
    package static func notUnderstood(_ error: ControlMessageError) -> ControlReply {
        failure(
            .invalid, "the agent did not understand the request: \(error.text)",
            "use boxagent and boxagentd of the same version")
    }
    package static let notAdministrator = failure(
        .notPermitted, "only the administrator may do this", "run the command as root, for instance with sudo")
    package static let notGreeter = failure(
        .notPermitted, "this user may not run a greeter",
        "run it as root, or add the user to login.greeter_users in boxagent.toml and reload boxagentd")
    package static let oneAtATime = failure(
        .busy, "this connection already has a request in progress", "wait for it, or use another connection")
    package static let noEnrolment = failure(.invalid, "no enrolment is open here", "run 'boxagent enrol' first")

    package static let noSite = failure(
        .notFound, "this box does not belong to a site", "join one with 'boxagent join'")
    package static let siteBusy = failure(
        .busy, "the box is still reading or leaving its site", "try again in a moment")
    package static let siteUnreadable = failure(
        .fault, "the stored data of the box's site cannot be read",
        "see 'journalctl -u boxagentd', or run 'boxagent leave'")
    package static let noSession = failure(
        .notFound, "no such session is open", "list the sessions with: boxagent sessions")
    package static func sessionsUnread(_ why: String) -> ControlReply {
        failure(.fault, doubt(why), "try again in a moment, or run 'boxagent doctor'")
    }
    package static func doubt(_ why: String) -> String {
        ControlLimits.cut("more sessions may be open than the agent knows: \(why)")
    }
    package static let othersSession = failure(
        .notPermitted, "that session is not yours", "name one of your own, or run the command as root")

    package static func operationFailed(_ operation: SessionOperation, _ failed: Int, of count: Int) -> ControlReply {
        failure(
            .fault, "\(operation.rawValue) failed for \(failed) of \(Plural.text(count, "session"))",
            "see the reasons above, or run 'boxagent doctor'")
    }

    package static func testLogin(_ reason: UnavailableReason) -> ControlReply {
        switch reason {
        case .noTap:
            failure(
                .timedOut, "no phone tapped in time",
                "check with 'boxagent status' that the radio is on, and that the phone shows this box's ID")
        case .busy:
            failure(.busy, "another program waits for the same tap", "finish the other login first")
        default:
            failure(.fault, "the test login failed: \(reason.words)", "run 'boxagent doctor'")
        }
    }

    package static func failure(_ kind: FailureKind, _ what: String, _ cure: String) -> ControlReply {
        .failure(kind, what: ControlLimits.cut(what), cure: ControlLimits.cut(cure))
    }
}
