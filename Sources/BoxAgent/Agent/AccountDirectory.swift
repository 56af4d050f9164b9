import AgentCore
import EventLoop
import Synchronization

/// Looks up the system's accounts on its own worker thread, so that a hanging directory blocks neither loop nor PINs.
struct AccountDirectory: Sendable {
    let loop: EpollLoop
    private let worker = OffloadWorker()

    /// The time that a login, a phone or a command waits for an account's name.
    static let patience: Duration = .milliseconds(500)

    init(loop: EpollLoop) {
        self.loop = loop
    }

    /// Returns the name of a uid; nil if it has none, or no answer came in time.
    func name(of uid: UInt32) async -> [UInt8]? {
        let account = await ask(within: Self.patience) {
            AccountName.find(uid: uid).map { .found(uid: uid, name: $0) } ?? .unknown
        }
        guard case .found(_, let name) = account else { return nil }
        return name
    }

    /// Returns the uid of a name; nil if it has none, or no answer came.
    func uid(of name: [UInt8]) async -> UInt32? {
        guard case .found(let uid, _) = await look(up: name, within: .seconds(30)) else { return nil }
        return uid
    }

    /// Looks up an account. Returns `failed` after `limit`, while the lookup itself continues.
    func look(up name: [UInt8], within limit: Duration = patience) async -> AccountLookup {
        await ask(within: limit) { AccountLookup.settled(name, SystemAccounts.look) }
    }

    private func ask(
        within limit: Duration, _ look: @escaping @Sendable () -> AccountLookup
    ) async -> AccountLookup {
        let found = FoundAccount()
        let looking = loop.spawn { [worker] in
            let account = (try? await worker.run(look)) ?? .failed
            found.account.withLock { $0 = account }
        }
        _ = await loop.waitForAny(of: [looking], until: loop.now() + limit)
        return found.account.withLock { $0 }
    }
}

/// The result of a lookup that may come too late.
private final class FoundAccount: Sendable {
    let account = Mutex(AccountLookup.failed)
}
