import AgentCore
import EventLoop
import PhoneMessages
import Secrets
import SecureChannel
import Transport
import Vault
import VaultPort
import Wire

/// A phone that has sent message 1 with this key. Nothing is known of it yet: message 1 can be replayed, and be
/// forged by whoever holds the box's key (docs/decisions/003-noise-channel.md).
struct ClaimedDevice: Sendable {
    let publicKey: [UInt8]
}

/// What the first transport message proved.
enum AuthenticatedPeer: Sendable {
    /// An enrolled device: its record was read after the message decrypted.
    case device(DeviceRecord)
    /// Somebody who holds the open enrolment code.
    case enrolling(publicKey: [UInt8], handshakeHash: [UInt8])
}

/// One link from a phone and the secure channel on it. Owns both; the agent decides what messages mean.
///
/// Nobody waits for the phone but the channel's own reader and writer: `tell`, `mute` and `end` come back at once,
/// whatever the phone acknowledges.
actor PhoneChannel {
    nonisolated let id: ChannelID
    private let loop: EpollLoop
    private let link: MessageLink
    private let context: ChannelContext
    private var transport: ChannelTransport<XChaChaPoly>?
    private var outbox = PhoneOutbox()
    private var isWriting = false
    /// Signalled when the writer has sent something, and when the channel is over.
    private let written: WaitPoint
    /// The first request was hello.
    private var isGreeted = false
    /// What the phone says counts no more, and it is told nothing.
    private var isMuted = false
    private var ending: ChannelEnd?
    private var isFarewellSealed = false
    /// The link is closed.
    private var isOver = false
    private let opened: Duration

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(id: ChannelID, link: MessageLink, loop: EpollLoop, context: ChannelContext) {
        self.id = id
        self.link = link
        self.loop = loop
        self.context = context
        written = WaitPoint(on: loop)
        opened = loop.now()
    }

    /// Serves the link until it ends, and says why it did.
    func run(for agent: Agent) async -> ChannelEnd {
        do throws(ChannelEnd) {
            let claimed = try await handshake(with: agent)
            try await serve(claimed, for: agent)
            finish(.linkClosed)
        } catch {
            finish(error)
        }
        await waitUntilOver()
        return ending ?? .linkClosed
    }

    // MARK: - What the agent says

    /// Sends a message in the order of the calls, and waits for nothing. One more than `PhoneOutbox.messageLimit` that wait
    /// ends the channel. Called on the loop.
    nonisolated func tell(_ message: BoxMessage) {
        onSameLoop { $0.enqueue(message) }
    }

    /// Deaf and dumb from now on: nothing that the phone has sent or sends has an effect, and what waits for it is dropped.
    /// `end` follows. Called on the loop.
    nonisolated func mute() {
        onSameLoop { channel in
            channel.isMuted = true
            channel.outbox.clear()
            channel.written.signal()
        }
    }

    /// Ends the channel, and waits for nothing: what was said before, the last words and a close message, which shows that
    /// nothing was cut off, have `limit` to leave. Called on the loop.
    nonisolated func end(
        _ reason: ChannelEnd, lastWords: BoxMessage? = nil, within limit: Duration = LinkLimits.farewell
    ) {
        onSameLoop { $0.finish(reason, lastWords: lastWords, within: limit) }
    }

    /// Waits until the link is closed, which `end` bounds.
    func waitUntilOver() async {
        while !isOver {
            let mark = written.mark()
            guard !isOver, await written.wait(since: mark) == .signalled else { return }
        }
    }

    /// Sends a message that may be long, when everything before it is on its way. For the channel's own reader: so at most
    /// one waits, and the phone, whose next request is not looked at before, is held back.
    func sendInTurn(_ message: BoxMessage) async {
        while isWriting, ending == nil {
            let mark = written.mark()
            guard isWriting else { break }
            guard await written.wait(since: mark) == .signalled else { return }
        }
        enqueue(message)
    }

    /// For the channel's own reader: a phone that asks and does not listen is held back.
    private func waitForRoom() async {
        while !outbox.hasRoomForAnswers, ending == nil {
            let mark = written.mark()
            guard !outbox.hasRoomForAnswers else { return }
            guard await written.wait(since: mark) == .signalled else { return }
        }
    }

    private func enqueue(_ message: BoxMessage) {
        guard ending == nil, !isMuted, transport != nil else { return }
        guard outbox.add(message) else { return finish(.outboxFull) }
        write()
    }

    private func finish(
        _ reason: ChannelEnd, lastWords: BoxMessage? = nil, within limit: Duration = LinkLimits.farewell
    ) {
        guard ending == nil else { return }
        ending = reason
        // A link that has ended takes nothing, and a phone that reads nothing has had its time.
        guard transport != nil, reason != .linkClosed, reason != .outboxFull else { return closeLink() }
        if let lastWords, !outbox.add(lastWords) {
            outbox.clear()
            _ = outbox.add(lastWords)
        }
        write()
        let due = loop.now() + limit
        loop.spawn { [weak self, loop] in
            // Nobody cancels it.
            try? await loop.sleep(until: due)
            await self?.closeLink()
        }
    }

    private func closeLink() {
        guard !isOver else { return }
        isOver = true
        outbox.clear()
        transport = nil
        loop.spawn { [link, written] in
            await link.close()
            written.signal()
        }
        written.signal()
    }

    // MARK: - The writer

    private func write() {
        guard !isWriting else { return }
        isWriting = true
        loop.spawn { await self.writeAll() }
    }

    /// The one writer: seals a message when the link takes one, so that the order of counters is that of the link.
    private func writeAll() async {
        while let sealed = nextSealed() {
            do {
                try await link.send(sealed)
                written.signal()
            } catch {
                finish(.linkClosed)
                closeLink()
            }
        }
        isWriting = false
        if ending != nil { closeLink() }
        written.signal()
    }

    /// The next message to write, at the end the close message; nil when there is none.
    private func nextSealed() -> [UInt8]? {
        guard !isOver else { return nil }
        if let message = outbox.next() {
            if let sealed = seal(message) { return sealed }
            finish(.protocolViolation)
        }
        guard ending != nil, !isFarewellSealed else { return nil }
        isFarewellSealed = true
        return try? transport?.sealClose()
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
        let psk = try await agent.enrolmentSecret(codeID, over: link.link.connectionName)
        let ready: ResponderReady<XChaChaPoly>
        do {
            ready = try context.keys.startEnrolment(on: link.link, codeID: codeID, psk: psk).readMessage1(message)
        } catch {
            throw .handshakeRefused
        }
        await agent.enrolmentTrySucceeded(over: link.link.connectionName)
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
        // It gave way to another link meanwhile.
        if let ending { throw ending }
        // Revoked in between: nothing was said to anybody yet.
        guard await agent.authenticated(self, as: peer) else { throw .revoked }
        try await handle(first, from: peer, agent)
        while true {
            await waitForRoom()
            let until = transport?.deadline ?? loop.now()
            let sealed = try await receive(until: until, late: .expired)
            let request = try await open(sealed, .protocolViolation)
            try await handle(request, from: try await renewed(peer), agent)
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
            return .enrolling(publicKey: publicKey, handshakeHash: hash)
        }
    }

    /// The device as it stands now: each request is looked at with the record of that moment.
    private func renewed(_ peer: AuthenticatedPeer) async throws(ChannelEnd) -> AuthenticatedPeer {
        guard case .device(let record) = peer else { return peer }
        guard let current = try await context.activeDevice(ClaimedDevice(publicKey: record.publicKey)) else {
            throw .revoked
        }
        return .device(current)
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
        // A channel that ends, or was silenced while the message was on its way, says nothing any more.
        guard ending == nil, !isMuted else { throw ending ?? .revoked }
        await agent.handle(message, from: self, peer)
        if let ending { throw ending }
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
}
