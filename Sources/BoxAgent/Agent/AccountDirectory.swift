import AgentConfiguration
import AgentCore
import AgentProtocol
import EventLoop
import Glibc
import PhoneMessages

/// The system's accounts, asked on the worker thread: a directory that hangs must not stop the loop.
struct AccountDirectory: Sendable {
    let loop: EpollLoop

    /// The name of a uid; nil when there is none, or when nobody answered.
    func name(of uid: UInt32) async -> [UInt8]? {
        (try? await loop.offload { SystemAccounts.name(of: uid) }) ?? nil
    }

    /// The uid of a name; nil when there is none, or when nobody answered.
    func uid(of name: [UInt8]) async -> UInt32? {
        guard case .found(let uid)? = try? await loop.offload({ SystemAccounts.uid(of: name) }) else { return nil }
        return uid
    }

    /// Why a phone may not be enrolled for `user`; nil when it may.
    func enrolmentRefusal(of user: [UInt8], policy: Configuration.Enrolment) async -> ControlReply? {
        let name = LogText.text(user)
        guard UserRules.isUserName(user) else {
            return Refusals.failure(
                .invalid, "'\(name)' is no user name",
                "give 1 to 255 bytes without control characters, '/' or ':', not beginning with '-'")
        }
        let lookup = (try? await loop.offload { SystemAccounts.uid(of: user) }) ?? .failed
        switch lookup {
        case .found(let uid) where uid < UInt32(policy.minimumUserID) && !policy.allowSystemUsers:
            return Refusals.failure(
                .notPermitted, "'\(name)' is a system account (uid \(uid))",
                "enrol a person's account, or set enrolment.allow_system_users = true in boxagent.toml")
        case .unknown where policy.requireKnownUser:
            return Refusals.failure(
                .notFound, "this box knows no user '\(name)'",
                "check the spelling with 'getent passwd', or set enrolment.require_known_user = false")
        case .failed where policy.requireKnownUser:
            return Refusals.failure(
                .fault, "the user database did not answer for '\(name)'", "check 'getent passwd' and try again")
        default:
            return nil
        }
    }
}
