import NamesEmbedded
import PAMProtocolEmbedded
import CPAM
import PAMLogicEmbedded

/// A password that somebody typed, and that the modules before the line `verdict` accepted: noted on the PAM handle there, and told
/// to the agent with the session. A program that skips pam_authenticate, as for an automatic login, reaches no such line.
enum TypedPassword {
    private static let name: StaticString = "pam_boxagent/typed"

    /// At the line `verdict`: what a phone has sent was not typed.
    static func note(_ handle: PAMHandle) {
        if handle.hasAuthtok, !DeliveryRecord.isAttached(handle) { set(handle, name.cString) }
    }

    /// Authentication begins again.
    static func forget(_ handle: PAMHandle) {
        if handle.data(name) != nil { set(handle, nil) }
    }

    /// At open_session. Nothing waits for an answer, as in `PasswordChange`.
    static func tell(_ handle: PAMHandle, session: [UInt8]?, socketPath: [UInt8]) {
        guard handle.data(name) != nil, let session,
            case .text(let user) = handle.item(PAM_USER, limit: UserName.byteLimit), !user.isEmpty
        else { return }
        do throws(ConnectionProblem) {
            let connection = try AgentConnection.open(socketPath: socketPath, deadline: .zero)
            _ = connection.send(.passwordTyped(user: user, session: session))
        } catch {
            // The person may log in all the same. What is lost is that boxagent enrol --self trusts this session.
            if error == .stranger { handle.log(LOG_WARNING, error.line) }
        }
    }

    // SAFETY: the data is a literal of this module, or null: libpam keeps the pointer, and nobody reads or frees it.
    private static func set(_ handle: PAMHandle, _ mark: UnsafePointer<CChar>?) {
        _ = pam_set_data(handle.pointer, name.cString, UnsafeMutableRawPointer(mutating: mark), nil)
    }
}
