import NamesEmbedded
import PAMProtocolEmbedded
import CPAM
import PAMLogicEmbedded

/// Remembers on the PAM handle that the modules before the line `verdict` accepted a typed password. The agent is told
/// when the session opens. A program that skips pam_authenticate, such as an automatic login, never reaches that line.
enum TypedPassword {
    private static let name: StaticString = "pam_boxagent/typed"

    /// Notes a typed password at the line `verdict`. A credential from a phone does not count as typed.
    static func note(_ handle: PAMHandle) {
        if handle.hasAuthtok, !DeliveryRecord.isAttached(handle) { set(handle, name.cString) }
    }

    /// Removes the note when authentication starts again.
    static func forget(_ handle: PAMHandle) {
        if handle.data(name) != nil { set(handle, nil) }
    }

    /// Tells the agent at open_session. Does not wait for an answer, like `PasswordChange`.
    static func tell(_ handle: PAMHandle, session: [UInt8]?, socketPath: [UInt8]) {
        guard handle.data(name) != nil, let session,
            case .text(let user) = handle.item(PAM_USER, limit: UserName.byteLimit), !user.isEmpty
        else { return }
        do throws(ConnectionProblem) {
            let connection = try AgentConnection.open(socketPath: socketPath, deadline: .zero)
            _ = connection.send(.passwordTyped(user: user, session: session))
        } catch {
            // The login continues, but `boxagent enrol --self` will not trust this session.
            if error == .stranger { handle.log(LOG_WARNING, error.line) }
        }
    }

    // SAFETY: the data is a literal of this module, or null. libpam keeps the pointer, which is never read or freed.
    private static func set(_ handle: PAMHandle, _ mark: UnsafePointer<CChar>?) {
        _ = pam_set_data(handle.pointer, name.cString, UnsafeMutableRawPointer(mutating: mark), nil)
    }
}
