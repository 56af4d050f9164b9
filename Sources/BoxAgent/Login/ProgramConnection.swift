import AgentCore
import PAMProtocol
import EventLoop
import Secrets
import Wire

/// One connection of the PAM module. It asks once, is served or refused, and then reports its handle's state.
actor ProgramConnection: LoginProgram {
    /// Interval of messages while a program waits; the module gives up after two missed ones.
    static let heartbeat: Duration = .seconds(1)

    /// Time in which a program must accept a reply; then the connection is closed.
    static let sendLimit: Duration = .seconds(2)
    /// Time from connecting to the request, which the module sends at once. So a stopped program cannot block others.
    static let requestLimit: Duration = .seconds(5)
    /// Limit of a reply, in bytes: user, credential and a few bytes of framing.
    static let replyBytes = 1_024

    /// Looks up a user, and compares the user's devices with the account.
    typealias Account = @Sendable ([UInt8]) async -> AccountLookup

    private let loop: EpollLoop
    private let connection: SeqPacketConnection
    private let boxID: [UInt8]
    private let account: Account
    private let caller: Caller
    /// The user that the program named, in its own spelling.
    private var asked: [UInt8]?
    private var beating: Task<Void, Never>?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(connection: SeqPacketConnection, caller: Caller, boxID: [UInt8], loop: EpollLoop, account: @escaping Account) {
        self.connection = connection
        self.caller = caller
        self.boxID = boxID
        self.account = account
        self.loop = loop
    }

    /// Serves the connection until it ends.
    func run(_ tell: @Sendable (ProgramEvent) async -> Void) async {
        guard !caller.isNobody else { return await connection.close() }
        var hasAsked = false
        var limit: Duration? = loop.now() + Self.requestLimit
        while let bytes = try? await connection.receive(limit: PAMLimits.messageBytes, until: limit) {
            if limit != nil { await connection.setGivesWay(false) }
            limit = nil
            // A message that does not decode ends this program's connection only.
            guard let request = bytes.withRawSpan({ try? PAMRequest.decode($0) }) else { break }
            let event: ProgramEvent
            switch (request, hasAsked) {
            case (.authenticate(var authentication), false):
                hasAsked = true
                asked = authentication.user
                authentication.user = await accountName(of: asked)
                event = .asks(authentication, caller)
            case (.event(let shown), true): event = .says(shown)
            case (.passwordTyped(let user, let session), _):
                event = .typedPassword(of: await accountName(of: user) ?? user, session: session, caller)
            case (.passwordChanged(_, let user), _):
                event = .changedPassword(of: await accountName(of: user) ?? user, caller)
            default:
                await connection.close()
                continue
            }
            await tell(event)
            // The caller of passwd(1) can stop it, so its connection may lose its place.
            if !hasAsked { await connection.setGivesWay(true) }
        }
        stopBeating()
        await connection.close()
    }

    /// Returns the account's name for the agent. The program gets its own spelling back
    /// (docs/decisions/057-user-names.md).
    private func accountName(of user: [UInt8]?) async -> [UInt8]? {
        guard let user, caller.isAdministrator else { return user }
        return await account(user).name(of: user)
    }

    var needsLookup: Bool { asked == nil || !caller.isAdministrator }

    nonisolated func tell(_ message: ProgramMessage) {
        onSameLoop { program in
            switch message {
            case .waiting: program.keepTelling(.waiting(boxID: program.boxID))
            case .asking: program.keepTelling(.asking(boxID: program.boxID))
            case .refused(let reason): program.refuse(reason)
            case .judged: program.loop.spawn { await program.connection.setGivesWay(true) }
            case .noted: program.loop.spawn { await program.send(.noted) }
            }
        }
    }

    private func refuse(_ reason: UnavailableReason) {
        stopBeating()
        loop.spawn {
            await self.send(.unavailable(reason))
            await self.connection.close()
        }
    }

    func deliver(user: [UInt8], credential: HeldSecret) async -> CredentialTaking {
        stopBeating()
        let user = asked ?? user
        do {
            // Encodes directly into a buffer that is wiped once the kernel has the message.
            try await connection.send(limit: Self.replyBytes, until: loop.now() + Self.sendLimit) { output in
                let length = credential.bytes.withBytes { token in
                    try? PAMReply.encodeCredential(user: user, authtok: token, into: &output)
                }
                return length ?? 0
            }
            return .taken
        } catch {
            await connection.close()
            return .notTaken
        }
    }

    /// Sends a reply at once, then each second until the program is served, refused or gone. Each send ends before the
    /// next.
    private func keepTelling(_ reply: PAMReply) {
        beating?.cancel()
        beating = loop.spawn { [weak self, loop] in
            var next = loop.now()
            while (try? await loop.sleep(until: next)) != nil {
                guard let self, await self.beat(reply) else { return }
                next += Self.heartbeat
            }
        }
    }

    private func beat(_ reply: PAMReply) async -> Bool {
        guard beating != nil else { return false }
        await send(reply)
        return true
    }

    private func stopBeating() {
        beating?.cancel()
        beating = nil
    }

    /// Sends a reply or closes the connection. The module sees the closed socket and falls back to its prompt.
    private func send(_ reply: PAMReply) async {
        let bytes: [UInt8]
        do {
            bytes = try [UInt8].encoding(
                limit: Self.replyBytes, { output throws(WireError) in try reply.encode(into: &output) })
        } catch {
            return await connection.close()
        }
        do {
            try await connection.send(bytes, until: loop.now() + Self.sendLimit)
        } catch {
            await connection.close()
        }
    }
}
