import EventLoop
import PhoneMessages
import SecureChannel
import Secrets
import Transport
import Vault
import Wire

/// A phone that has sent message 1 with this key. Nothing is known of it yet: message 1 can be replayed, and be
/// forged by whoever holds the box's key (DESIGN section 5).
struct ClaimedDevice: Sendable {
    let publicKey: [UInt8]
}

/// What the first transport message proved.
enum AuthenticatedPeer: Sendable {
    /// An enrolled device: its record was read after the message decrypted.
    case device(DeviceRecord)
    /// Somebody who holds the open enrolment code.
    case enrolling(publicKey: [UInt8], digits: [UInt8])
}

/// One link from a phone and the secure channel on it. Owns both; the agent decides what messages mean.
actor PhoneChannel {
    nonisolated let id: ChannelID
    private let loop: EpollLoop
    private let link: MessageLink
    private let context: ChannelContext
    private var transport: ChannelTransport<XChaChaPoly>?
    private var outbox: [[UInt8]] = []
    private var sending = false
    /// Signalled when `outbox` has been sent.
    private let drained: WaitPoint
    /// The first request was hello.
    private var isGreeted = false
    private var ending: ChannelEnd?
    private var opened: Duration

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(id: ChannelID, link: MessageLink, loop: EpollLoop, context: ChannelContext) {
        self.id = id
        self.link = link
        self.loop = loop
        self.context = context
        drained = WaitPoint(on: loop)
        opened = loop.now()
    }

    /// Serves the link until it ends, and says why it did.
    func run(for agent: Agent) async -> ChannelEnd {
        let reason: ChannelEnd
        do throws(ChannelEnd) {
            let claimed = try await handshake(with: agent)
            try await serve(claimed, for: agent)
            reason = .linkClosed
        } catch {
            reason = ending ?? error
        }
        await close(reason)
        return reason
    }

    /// Sends a message in the order of the calls. More than `LinkLimits.outboxMessages` end the channel.
    func send(_ message: BoxMessage) async {
        guard ending == nil, transport != nil else { return }
        guard outbox.count < LinkLimits.outboxMessages else { return await close(.outboxFull) }
        guard let sealed = seal(message) else { return await close(.protocolViolation) }
        outbox.append(sealed)
        await drain()
    }

    /// Sends a message that may be long, when everything before it is on its way: so at most one waits in the outbox,
    /// and the phone, whose next request is not looked at before, is held back.
    func sendInTurn(_ message: BoxMessage) async {
        while sending, ending == nil {
            let mark = drained.mark()
            guard sending else { break }
            guard await drained.wait(since: mark) == .signalled else { return }
        }
        await send(message)
    }

    /// Ends the channel; what was sent before still goes out, and a close message shows that nothing was cut off.
    func close(_ reason: ChannelEnd) async {
        guard ending == nil else { return }
        ending = reason
        if let farewell = try? transport?.sealClose(), outbox.count < LinkLimits.outboxMessages {
            outbox.append(farewell)
            await drain()
        }
        transport = nil
        await link.close()
    }

    // MARK: - Handshake, in wire order

    private enum Claim {
        case device(ClaimedDevice)
        case enrolling(publicKey: [UInt8])
    }

    private func handshake(with agent: Agent) async throws(ChannelEnd) -> Claim {
        let first = try await receive(until: opened + LinkLimits.handshake, late: .handshakeTimedOut)
        guard let opening = try? FirstMessage(parsing: first) else { throw .handshakeMalformed }
        switch opening {
        case .channel(let message1):
            return try await answerChannel(message1)
        case .enrol(let codeID, let message1):
            return try await answerEnrolment(message1, codeID: codeID, agent)
        }
    }

    private func answerChannel(_ message: [UInt8]) async throws(ChannelEnd) -> Claim {
        let ready: ResponderReady<XChaChaPoly>
        do {
            ready = try context.keys.startChannel(on: link.link).readMessage1(message)
        } catch {
            throw .handshakeRefused
        }
        let claimed = ClaimedDevice(publicKey: ready.claimedRemoteStatic)
        // Read only: an unknown key ends here, as every other failure, with a closed link.
        guard try await context.activeDevice(claimed) != nil else { throw .unknownDevice }
        try await answer(ready)
        return .device(claimed)
    }

    private func answerEnrolment(
        _ message: [UInt8], codeID: [UInt8], _ agent: Agent
    ) async throws(ChannelEnd) -> Claim {
        let psk = try await agent.enrolmentSecret(codeID)
        let ready: ResponderReady<XChaChaPoly>
        do {
            ready = try context.keys.startEnrolment(on: link.link, codeID: codeID, psk: psk).readMessage1(message)
        } catch {
            throw .handshakeRefused
        }
        await agent.enrolmentTrySucceeded()
        let publicKey = ready.claimedRemoteStatic
        try await answer(ready)
        return .enrolling(publicKey: publicKey)
    }

    private func answer(_ ready: consuming ResponderReady<XChaChaPoly>) async throws(ChannelEnd) {
        do {
            let step = try ready.writeMessage2(now: loop.now())
            let message = step.message
            transport = consume step.transport
            try await link.send(message)
        } catch {
            throw .linkClosed
        }
    }

    // MARK: - Transport

    private func serve(_ claim: Claim, for agent: Agent) async throws(ChannelEnd) {
        let first = try await open(
            try await receive(until: loop.now() + LinkLimits.halfOpen, late: .notAuthenticated), .notAuthenticated)
        let peer = try await authenticate(claim)
        await link.raiseMessageLimit(to: LinkLimits.messageBytes)
        await agent.authenticated(self, as: peer)
        try await handle(first, from: peer, agent)
        while true {
            let until = transport?.deadline ?? loop.now()
            let sealed = try await receive(until: until, late: .expired)
            try await handle(try await open(sealed, .protocolViolation), from: peer, agent)
        }
    }

    /// Revocation is checked again now that the first transport message has decrypted: only here a claimed device
    /// becomes an enrolled one.
    private func authenticate(_ claim: Claim) async throws(ChannelEnd) -> AuthenticatedPeer {
        switch claim {
        case .device(let claimed):
            guard let record = try await context.activeDevice(claimed) else { throw .revoked }
            return .device(record)
        case .enrolling(let publicKey):
            guard let hash = transport?.handshakeHash else { throw .notAuthenticated }
            return .enrolling(publicKey: publicKey, digits: SixDigits.of(hash))
        }
    }

    private func handle(
        _ plaintext: HeldSecret, from peer: AuthenticatedPeer, _ agent: Agent
    ) async throws(ChannelEnd) {
        let message: PhoneRequestMessage
        do {
            message = try plaintext.bytes.withBytes { bytes throws(WireError) in
                try PhoneRequestMessage.decode(bytes)
            }
        } catch {
            throw .protocolViolation
        }
        if case .hello = message.request { isGreeted = true }
        guard isGreeted else { throw .protocolViolation }
        await agent.handle(message, from: self, peer)
    }

    private func open(_ sealed: [UInt8], _ failure: ChannelEnd) async throws(ChannelEnd) -> HeldSecret {
        do {
            guard let opened = try transport?.open(sealed, now: loop.now()) else { throw ChannelEnd.linkClosed }
            return HeldSecret(opened)
        } catch ChannelError.closedByPeer {
            throw .linkClosed
        } catch {
            throw failure
        }
    }

    private func receive(until: Duration, late: ChannelEnd) async throws(ChannelEnd) -> [UInt8] {
        do throws(LinkError) {
            return try await link.receive(until: until)
        } catch .timedOut {
            throw late
        } catch {
            throw .linkClosed
        }
    }

    private func seal(_ message: BoxMessage) -> [UInt8]? {
        guard let plain = try? message.encoded() else { return nil }
        return try? transport?.seal(plain, now: loop.now())
    }

    private func drain() async {
        guard !sending else { return }
        sending = true
        defer {
            sending = false
            drained.signal()
        }
        while !outbox.isEmpty {
            let next = outbox.removeFirst()
            do {
                try await link.send(next)
            } catch {
                outbox = []
                ending = ending ?? .linkClosed
            }
        }
    }
}
