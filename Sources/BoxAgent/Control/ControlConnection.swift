import AgentCore
import AgentProtocol
import EventLoop
import Secrets
import Wire

/// One connection of `boxagent`: one request under way at a time, whose replies end with `done` or `failure`.
actor ControlConnection: EnrolmentAdministrator, LoginProgram, Greeter {
    /// A command that does not take an answer within this time is gone for us.
    static let sendLimit: Duration = .seconds(5)
    /// What the agent says unasked and the command has not taken yet; one more ends the connection.
    static let pushLimit = 16

    /// From connecting to the first request, which commands send at once.
    static let requestLimit: Duration = .seconds(5)

    private let loop: EpollLoop
    private let connection: SeqPacketConnection
    private let caller: Caller
    private var enrolling = false
    private var pushes = 0
    private var testing: ProgramID?
    /// The logind session in which the other end helps.
    private var helping: [UInt8]?
    private var greeting: GreeterID?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(connection: SeqPacketConnection, caller: Caller, loop: EpollLoop) {
        self.connection = connection
        self.caller = caller
        self.loop = loop
    }

    func run(for agent: Agent) async {
        guard !caller.isNobody else { return await connection.close() }
        var limit: Duration? = loop.now() + Self.requestLimit
        while let bytes = try? await connection.receive(limit: AgentLimits.messageBytes, until: limit) {
            limit = nil
            await connection.setGivesWay(false)
            guard let request = bytes.withRawSpan({ try? ControlRequest.decode($0) }) else {
                await send(Refusals.notUnderstood)
                break
            }
            await handle(request, agent)
            await connection.setGivesWay(isIdle)
        }
        await connection.close()
        if enrolling { await agent.administratorLeft() }
        if let testing { await agent.programLeft(testing) }
        if let helping { await agent.helperLeft(helping, self) }
        if let greeting { await agent.greeterLeft(greeting) }
    }

    /// Whether nothing is under way and nobody is followed: such a connection has no need of its place.
    private var isIdle: Bool { !enrolling && testing == nil && helping == nil && greeting == nil }

    /// Another helper has come to its session.
    nonisolated func isReplaced() {
        loop.spawn { await self.helpNoLonger() }
    }

    private func helpNoLonger() async {
        helping = nil
        await connection.setGivesWay(isIdle)
    }

    private func handle(_ request: ControlRequest, _ agent: Agent) async {
        switch request {
        case .greet(let terminal): return await greet(terminal, agent)
        case .claimTap(let user):
            guard let greeting else { return await send(Refusals.notGreeter) }
            return await send(.tapClaimed(await agent.claimTap(of: user, by: greeting)))
        case .lockRefused(let reason):
            if let helping { await agent.helperRefused(helping, self, reason) }
            return
        default: break
        }
        guard ControlPolicy.allows(request, caller) else { return await send(Refusals.notAdministrator) }
        switch request {
        case .enrol(let user, let label, let boxHeld, let confirmed):
            guard !enrolling else { return await send(Refusals.oneAtATime) }
            let order = EnrolmentOrder(
                user: user, label: label, boxHeld: boxHeld, confirmed: confirmed, actor: await agent.actor(of: caller))
            enrolling = true
            if let failure = await agent.beginEnrolment(order, by: self) {
                enrolling = false
                await send(failure)
            }
        case .confirmEnrolment(let digits, let accept):
            guard enrolling else { return await send(Refusals.noEnrolment) }
            await agent.administratorAnswers(digits: digits, accept: accept)
        case .testLogin(let user, let seconds):
            guard testing == nil else { return await send(Refusals.oneAtATime) }
            testing = await agent.wait(self, user: user, takeOnly: false, seconds: seconds)
        case .sessionHelper(let session):
            guard helping == nil else { return await send(Refusals.oneAtATime) }
            if let refusal = await agent.helperCame(session, self, caller) { return await send(refusal) }
            helping = session
            await send(.done(text: []))
        default:
            for reply in await agent.answer(request, from: caller) {
                await send(reply)
            }
        }
    }

    private func greet(_ terminal: [UInt8], _ agent: Agent) async {
        guard greeting == nil else { return await send(Refusals.oneAtATime) }
        guard await agent.mayGreet(caller) else { return await send(Refusals.notGreeter) }
        greeting = await agent.greeterCame(self, on: terminal)
    }

    // MARK: - Greeter

    func show(_ state: GreeterState) async {
        await send(.greeter(state))
    }

    // MARK: - EnrolmentAdministrator

    nonisolated func tell(_ reply: ControlReply) {
        onSameLoop { $0.push(reply) }
    }

    /// Sends when the other end takes it, after what was sent before. Nobody waits for that.
    private func push(_ reply: ControlReply) {
        note(reply)
        let hasRoom = pushes < Self.pushLimit
        pushes += 1
        loop.spawn {
            if hasRoom { await self.send(reply) } else { await self.connection.close() }
            await self.pushed()
        }
    }

    private func pushed() {
        pushes -= 1
    }

    private func note(_ reply: ControlReply) {
        switch reply {
        case .done, .failure: enrolling = false
        default: break
        }
    }

    private func send(_ reply: ControlReply) async {
        note(reply)
        do {
            let bytes = try [UInt8].encoding(
                limit: AgentLimits.messageBytes, { output throws(WireError) in try reply.encode(into: &output) })
            try await connection.send(bytes, until: loop.now() + Self.sendLimit)
        } catch {
            // Whoever takes no answer is gone for us.
            await connection.close()
        }
    }

    func showCode(_ uri: HeldSecret, validSeconds: UInt64) async {
        try? await connection.send(limit: AgentLimits.textBytes, until: loop.now() + Self.sendLimit) { output in
            let length = uri.bytes.withBytes {
                try? ControlReply.encodeEnrolmentCode(uri: $0, validSeconds: validSeconds, into: &output)
            }
            return length ?? 0
        }
    }

    // MARK: - LoginProgram, for test-login

    nonisolated func tellWaiting() {
        tell(.testStage(text: Array("waiting for a tap on a phone".utf8)))
    }

    /// The credential is let go of here: a test logs nobody in and checks no password.
    func deliver(user: [UInt8], credential: HeldSecret) async -> CredentialTaking {
        testing = nil
        await send(.testStage(text: Array("a credential for \(LogText.text(user)) arrived".utf8)))
        await send(.done(text: Array("the path from the phone to this box works; the password was not checked".utf8)))
        return .tested
    }

    nonisolated func refuse(_ reason: UnavailableReason) {
        onSameLoop { command in
            command.testing = nil
            command.push(Refusals.testLogin(reason))
        }
    }
}
