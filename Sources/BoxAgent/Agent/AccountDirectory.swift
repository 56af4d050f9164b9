import AgentCore
import EventLoop

/// The system's accounts, asked on the worker thread: a directory that hangs must not stop the loop.
struct AccountDirectory: Sendable {
    let loop: EpollLoop

    /// The name of a uid; nil when there is none, or when nobody answered.
    func name(of uid: UInt32) async -> [UInt8]? {
        (try? await loop.offload { AccountName.find(uid: uid) }) ?? nil
    }

    /// The uid of a name; nil when there is none, or when nobody answered.
    func uid(of name: [UInt8]) async -> UInt32? {
        guard case .found(let uid)? = try? await loop.offload({ SystemAccounts.uid(of: name) }) else { return nil }
        return uid
    }

    /// What they say of a name.
    func look(up name: [UInt8]) async -> AccountLookup {
        (try? await loop.offload { SystemAccounts.uid(of: name) }) ?? .failed
    }
}
