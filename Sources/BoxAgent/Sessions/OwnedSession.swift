import PhoneMessages
import Sessions
import Vault

/// What a session is known by.
enum SessionKey: Hashable, Sendable {
    /// XDG_SESSION_ID: it ends when logind says so.
    case logind([UInt8])
    /// No logind session: it ends with the program's PAM handle.
    case program(ProgramID)
}

/// A session that a phone's login opened.
struct OwnedSession: Sendable {
    let device: DeviceID
    let target: SessionTarget
    /// Since boot.
    let openedAt: Duration
    /// When logind opened it, since its ids are used again; nil without a logind session.
    let openedMicroseconds: Int64?
    var locked = false
    /// Whether it is written down, and so outlives the agent.
    var isKept = false
    /// Why it was told to end, while it has not ended yet.
    var ending: SessionEnd?

    /// Whether the operation leaves it another than it is.
    func isChanged(by operation: SessionOperation) -> Bool {
        switch operation {
        case .lock: !locked
        case .unlock: locked
        case .logout: ending == nil
        }
    }
}
