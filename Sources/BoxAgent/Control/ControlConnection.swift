import AgentCore
import ControlProtocol
import EventLoop
import Secrets
import Wire

/// One connection of `boxagent`, a greeter or a session helper. It handles one request at a time; `done` or `failure`
/// ends the request.
///
/// The machine decides. This actor only knows the requests in progress: the reader waits for their end, and an idle
/// connection can yield its place.
actor ControlConnection: LoginProgram {
    /// Time in which a command must accept a reply; then the connection is closed.
    static let sendLimit: Duration = .seconds(5)
    /// Maximum number of pushed messages that may wait for the command; one more closes the connection.
    static let pushLimit = 16
    /// Time from connecting to the first request, which commands send at once.
    static let requestLimit: Duration = .seconds(5)

    typealias Tell = @Sendable (ControlEvent) async -> Void
    typealias Read = @Sendable (ControlRequest, Caller) async -> CommandAnswer

    private enum Use: Hashable {
        /// A request whose replies the reader awaits.
        case answering
        case enrolling, testing, joining, helping, greeting
    }

    private enum Item {
        case reply(ControlReply)
        case code(uri: HeldSecret, validSeconds: UInt64)
    }

    private let loop: EpollLoop
    private let connection: SeqPacketConnection
    private let caller: Caller
    private var uses: Set<Use> = []
    /// True if the last answered request succeeded.
    private var wasDone = false
    private var outbox: [Item] = []
    private var isWriting = false
    private var isClosed = false
    /// Signalled after each write and when the connection has ended.
    private let changed: WaitPoint

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(connection: SeqPacketConnection, caller: Caller, loop: EpollLoop) {
        self.connection = connection
        self.caller = caller
        self.loop = loop
        changed = WaitPoint(on: loop)
    }

    /// Serves the connection until it ends.
    ///
    /// - Parameter read: Answers requests that need no decision, and looks up devices for those that do.
    func run(_ tell: Tell, read: Read) async {
        guard !caller.isNobody else { return await connection.close() }
        var limit: Duration? = loop.now() + Self.requestLimit
        while let message = try? await connection.withReceived(
            limit: ControlLimits.messageBytes, until: limit, Self.read)
        {
            limit = nil
            await connection.setGivesWay(false)
            do throws(ControlMessageError) {
                let (request, secret) = try message.get()
                await handle(request, secret, tell, read)
            } catch {
                await send([Refusals.notUnderstood(error)])
                break
            }
            await connection.setGivesWay(uses.isEmpty)
        }
        await close()
    }

    /// Decodes the request and its join code, if it has one. The bytes are wiped afterwards.
    private static func read(_ bytes: RawSpan) -> Result<(ControlRequest, HeldSecret?), ControlMessageError> {
        do throws(ControlMessageError) {
            let request = try ControlRequest.decode(bytes)
            guard case .joinSite(let range) = request else { return .success((request, nil)) }
            return .success((request, HeldSecret(SecretBytes(copying: bytes.extracting(range)))))
        } catch {
            return .failure(error)
        }
    }

    private func close() async {
        isClosed = true
        outbox = []
        changed.signal()
        await connection.close()
    }

    // MARK: - Requests

    private func handle(_ request: ControlRequest, _ secret: HeldSecret?, _ tell: Tell, _ read: Read) async {
        switch request {
        case .greet, .claimTap, .lockRefused:
            // The machine checks the caller of these requests.
            return await tell(.asks(request, caller))
        default: break
        }
        guard ControlPolicy.allows(request, caller) else { return await send([Refusals.notAdministrator]) }
        switch request {
        case .enrol, .enrolSelf, .testLogin:
            let use: Use = if case .testLogin = request { .testing } else { .enrolling }
            guard uses.insert(use).inserted else { return await send([Refusals.oneAtATime], ends: false) }
            await tell(.asks(request, caller))
        case .confirmEnrolment: await tell(.asks(request, caller))
        case .sessionHelper:
            guard !uses.contains(.helping) else { return await send([Refusals.oneAtATime]) }
            if await ask(.asks(request, caller), tell) { uses.insert(.helping) }
        case .joinSite:
            guard let secret, uses.insert(.joining).inserted else {
                return await send([Refusals.oneAtATime], ends: false)
            }
            await tell(.joins(secret))
        case .session, .sessions, .leaveSite, .importSite: _ = await ask(.asks(request, caller), tell)
        default:
            switch await read(request, caller) {
            case .replies(let replies): await send(replies)
            case .event(let event): _ = await ask(event, tell)
            }
        }
    }

    /// Sends the event, waits for the end of the replies, and returns whether the request succeeded.
    private func ask(_ event: ControlEvent, _ tell: Tell) async -> Bool {
        uses.insert(.answering)
        wasDone = false
        await tell(event)
        await wait { !$0.uses.contains(.answering) }
        return wasDone
    }

    /// Waits until the condition holds or the connection closes.
    private func wait(until isSo: (isolated ControlConnection) -> Bool) async {
        while !isClosed, !isSo(self) {
            let mark = changed.mark()
            guard await changed.wait(since: mark) == .signalled else { return }
        }
    }

    // MARK: - Replies

    /// Queues a reply after the earlier ones. Must be called on the loop; never waits.
    nonisolated func tell(_ reply: ControlReply) {
        onSameLoop { $0.push(.reply(reply)) }
    }

    nonisolated func showCode(_ uri: HeldSecret, validSeconds: UInt64) {
        onSameLoop { $0.push(.code(uri: uri, validSeconds: validSeconds)) }
    }

    /// Notes that another helper has replaced this one. Must be called on the loop.
    nonisolated func helpNoLonger() {
        onSameLoop { command in
            command.uses.remove(.helping)
            command.updatePlace()
        }
    }

    private func push(_ item: Item) {
        guard !isClosed else { return }
        let isOfAnswer = uses.contains(.answering)
        if case .reply(let reply) = item {
            // Only the newest greeter state counts.
            if case .greeter = reply, case .reply(.greeter)? = outbox.last { outbox.removeLast() }
            note(reply)
        }
        // A request may have any number of replies. The number of pushed messages that wait is limited.
        guard isOfAnswer || outbox.count < Self.pushLimit else {
            loop.spawn { await self.close() }
            return
        }
        outbox.append(item)
        write()
    }

    private func note(_ reply: ControlReply) {
        switch reply {
        case .greeter:
            guard uses.insert(.greeting).inserted else { return }
            loop.spawn { [connection] in await connection.setGivesWay(false) }
        case .done, .failure:
            if case .done = reply { wasDone = true }
            if uses.remove(.answering) == nil { uses.subtract([.enrolling, .testing, .joining]) }
            changed.signal()
            updatePlace()
        default: break
        }
    }

    /// Lets a connection that runs and follows nothing yield its place.
    private func updatePlace() {
        guard uses.isEmpty else { return }
        loop.spawn { [connection] in await connection.setGivesWay(true) }
    }

    /// Sends the replies one after another; each waits until the command has accepted the one before.
    ///
    /// - Parameter ends: True if the replies end the current request.
    private func send(_ replies: [ControlReply], ends: Bool = true) async {
        for reply in replies where !isClosed {
            if ends { note(reply) }
            outbox.append(.reply(reply))
            write()
            await wait { $0.outbox.isEmpty && !$0.isWriting }
        }
    }

    private func write() {
        guard !isWriting else { return }
        isWriting = true
        loop.spawn { await self.writeAll() }
    }

    private func writeAll() async {
        while !outbox.isEmpty, !isClosed {
            let item = outbox.removeFirst()
            do {
                try await write(item)
                changed.signal()
            } catch {
                // The command does not accept replies, so close the connection.
                await close()
            }
        }
        isWriting = false
        changed.signal()
    }

    private func write(_ item: Item) async throws {
        let until = loop.now() + Self.sendLimit
        switch item {
        case .reply(let reply):
            let bytes = try [UInt8].encoding(
                limit: ControlLimits.messageBytes,
                { output throws(ControlMessageError) in try reply.encode(into: &output) })
            try await connection.send(bytes, until: until)
        case .code(let uri, let validSeconds):
            try await connection.send(limit: ControlLimits.textBytes, until: until) { output in
                let length = uri.bytes.withBytes {
                    try? ControlReply.encodeEnrolmentCode(uri: $0, validSeconds: validSeconds, into: &output)
                }
                return length ?? 0
            }
        }
    }

    // MARK: - LoginProgram, for test-login

    /// `boxagent test-login` looks up no user.
    nonisolated var needsLookup: Bool { true }

    nonisolated func tell(_ message: ProgramMessage) {
        switch message {
        case .waiting, .asking: tell(.testStage(text: "waiting for a tap on a phone"))
        case .refused(let reason): tell(Refusals.testLogin(reason))
        case .noted, .judged: break
        }
    }

    /// Discards the credential: a test does not log in and does not check the password.
    func deliver(user: [UInt8], credential: HeldSecret) async -> CredentialTaking {
        guard !isClosed else { return .notTaken }
        push(.reply(.testStage(text: ControlLimits.cut("a credential for \(LogText.text(user)) arrived"))))
        let text = "the path from the phone to this box works; the password was not checked"
        push(.reply(.done(text: text)))
        return .tested
    }
}
