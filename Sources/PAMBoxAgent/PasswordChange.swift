import NamesEmbedded
import PAMProtocolEmbedded
import CPAM
import PAMLogicEmbedded

/// chauthtok: a changed password makes stored credentials stale, and phones are told to ask for the new one.
struct PasswordChange {
    let handle: PAMHandle
    let arguments: ModuleArguments

    /// Says it and does not wait for an answer: the password has changed whether or not an agent is there. The
    /// message stays in the agent's queue when this end is closed.
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
            // Without an agent there is nothing stored that could be used; it is marked when a login fails.
            if arguments.debug || error == .stranger { handle.log(LOG_WARNING, error.line) }
        }
    }
}
