import AgentCore
import ControlProtocol
import AuditLog
import EventLoop
import Secrets
import Sessions
import Synchronization

/// The machine's queries to kernel, logind, accounts and random source.
struct Lookups: Sendable {
    /// Time limit for looking up a name for the log.
    private static let nameLimit: Duration = .milliseconds(500)
    /// Time limit for looking up the account of an enrolment.
    private static let accountLimit: Duration = .seconds(10)

    /// The result of a lookup.
    enum Finding {
        /// The answer is available without waiting.
        case known(Answer)
        case asking(@Sendable () async -> Answer)
    }

    private let loop: EpollLoop
    private let logind: Logind
    private let accounts: AccountDirectory
    private let shownKeys: ShownKeys
    private let seats: Seats

    init(_ parts: AgentParts) {
        loop = parts.loop
        logind = parts.logind
        accounts = parts.accounts
        shownKeys = parts.shownKeys
        seats = Seats(logind: parts.logind)
    }

    /// Must be called on the loop.
    ///
    /// - Parameter account: Looks up a user, and compares the user's devices.
    func look(
        _ lookup: Lookup, account: @escaping @Sendable ([UInt8], _ within: Duration) async -> AccountLookup
    ) -> Finding {
        switch lookup {
        case .seats(let askers): .known(.seats(askers.mapValues { seats.facts(of: $0) }))
        case .newCode(let user): .known(code(for: user))
        case .seat(let request, let caller): .asking { await seats.look(request, caller) }
        case .elevationPlace(let process): .asking { .elevationPlace(await logind.caller(ofProcess: process)) }
        case .claim(let target, let process): .asking { .claim(await claim(of: target, by: process)) }
        case .person(let caller):
            .asking {
                let name = await accounts.name(of: caller.uid)
                return .person(await actor(of: caller), name: name)
            }
        case .account(let user, let caller):
            .asking { .account(await account(user, Self.accountLimit), await actor(of: caller)) }
        case .idleness(let ids):
            .asking {
                for id in ids { await logind.refresh(id) }
                return .idlenessRead
            }
        }
    }

    private func code(for user: [UInt8]) -> Answer {
        let code = EnrolmentCode()
        return .code(id: code.id, secret: code.psk, uri: try? code.uri(keys: shownKeys.now, user: user))
    }

    /// Asks logind about the session that a program names.
    private func claim(of target: SessionTarget, by process: Int32?) async -> SessionClaim {
        guard let bytes = target.logindSession else { return .none }
        guard let id = String(validating: bytes, as: UTF8.self) else { return .refused("its name is not valid UTF-8") }
        let session: LogindSession?
        var processSession: String?
        do {
            session = try await logind.lookUp(id)
            if let process, process != session?.leader {
                processSession = try await logind.ownSession(ofProcess: process)?.id
            }
        } catch {
            return .unknown
        }
        var number: UInt32?
        if let session, Array(session.user.utf8) != target.user { number = await accounts.uid(of: target.user) }
        return SessionClaim(
            session, ofUser: target.user, number: number, process: process, processSession: processSession)
    }

    // MARK: - People

    /// Identifies the caller of `boxagent`: uid from the kernel, and name of the login, which sudo does not change.
    func actor(of caller: Caller) async -> AuditActor {
        let found = FoundName()
        let looking = loop.spawn {
            let name = await login(of: caller)
            found.name.withLock { $0 = name }
        }
        // A hanging bus or directory does not delay a revocation, because the uid is known.
        _ = await loop.waitForAny(of: [looking], until: loop.now() + Self.nameLimit)
        return .person(uid: caller.uid, login: found.name.withLock { $0 })
    }

    private func login(of caller: Caller) async -> [UInt8]? {
        if let login = LoginUID.read(process: caller.pid) { return await accounts.name(of: login) }
        // systemd's ProtectProc= hides the processes of others, but logind knows the command's session. The name is for
        // the log only. If logind does not answer, the uid gives the user's own name.
        if let own = try? await logind.ownSession(ofProcess: caller.pid) { return Array(own.user.utf8) }
        return await accounts.name(of: caller.uid)
    }
}

/// The result of a name lookup that may come too late.
private final class FoundName: Sendable {
    let name = Mutex<[UInt8]?>(nil)
}
