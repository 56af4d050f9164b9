import NamesEmbedded
import PAMProtocolEmbedded
import CPAM
import PAMLogicEmbedded

/// chauthtok: tells the agent that a user's password changes. Stored credentials are then stale, and phones ask for the
/// new password.
struct PasswordChange {
    let handle: PAMHandle
    let arguments: ModuleArguments

    /// Reports the change without waiting for an answer, since the password has changed even without an agent. The
    /// message stays in the agent's queue after this end is closed.
    func tell() {
        guard case .text(let service) = handle.item(PAM_SERVICE, limit: PAMLimits.serviceBytes),
            case .text(let user) = handle.item(PAM_USER, limit: UserName.byteLimit), !user.isEmpty
        else { return }
        do throws(ConnectionProblem) {
            let connection = try AgentConnection.open(socketPath: arguments.socketPath, deadline: .zero)
            if !connection.send(.passwordChanged(service: service, user: user)) {
                handle.log(LOG_WARNING, LoginWaitEnd.closed.line)
            }
        } catch {
            // Without an agent, stored credentials cannot be used. They become stale at the next failed login.
            if arguments.debug || error == .stranger { handle.log(LOG_WARNING, error.line) }
        }
    }
}
