import AgentCore
import EventLoop
import Synchronization

/// The system's accounts, asked on a worker thread of their own: a directory that hangs stops neither the loop nor a PIN.
struct AccountDirectory: Sendable {
    let loop: EpollLoop
    private let worker = OffloadWorker()

    /// How long a login, a phone or a command waits for the name of an account.
    static let patience: Duration = .milliseconds(500)

    init(loop: EpollLoop) {
        self.loop = loop
    }

    /// The name of a uid; nil when there is none, or when nobody answered in time.
    func name(of uid: UInt32) async -> [UInt8]? {
        let account = await ask(within: Self.patience) {
            AccountName.find(uid: uid).map { .found(uid: uid, name: $0) } ?? .unknown
        }
        guard case .found(_, let name) = account else { return nil }
        return name
    }

    /// The uid of a name; nil when there is none, or when nobody answered.
    func uid(of name: [UInt8]) async -> UInt32? {
        guard case .found(let uid, _) = await look(up: name, within: .seconds(30)) else { return nil }
        return uid
    }

    /// The name of the account that a person or a program means; as it was asked where nobody answers in time.
    func name(of asked: [UInt8]) async -> [UInt8] {
        await look(up: asked).name(of: asked)
    }

    /// Looks an account up. The answer is `failed` after `limit`; the lookup itself goes on.
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

/// An account that may be found too late.
private final class FoundAccount: Sendable {
    let account = Mutex(AccountLookup.failed)
}
