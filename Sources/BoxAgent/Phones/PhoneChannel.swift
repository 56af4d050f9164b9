import AgentCore
import EventLoop
import Links
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

/// One link from a phone and the secure channel on it. Owns both; the agent decides what messages mean.
///
/// Nobody waits for the phone but the channel's own reader and writer: `tell`, `mute` and `end` come back at once,
/// whatever the phone acknowledges.
actor PhoneChannel {
    nonisolated let id: ChannelID
    private let link: MessageLink
    private let parts: AgentParts
    private var transport: ChannelTransport<XChaChaPoly>?
    private var outbox = PhoneOutbox()
    private var isWriting = false
    /// Signalled when the writer has sent something, the agent has answered, and when the channel is over.
    private let changed: WaitPoint
    /// What the phone says counts no more, and it is told nothing.
    private var isMuted = false
    private var permission = Permission.none
    private var ending: ChannelEnd?
    private var isFarewellSealed = false
    /// The link is closed.
    private var isOver = false

    private var loop: EpollLoop { parts.loop }

    /// What the agent lets the peer do.
    private enum Permission {
        case none
        /// To shake hands with the secret of the code that its message 1 named.
        case tryCode(HeldSecret)
        /// It counts as who it proved to be.
        case ask
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { parts.loop.asUnownedSerialExecutor() }

    init(id: ChannelID, link: MessageLink, parts: AgentParts) {
        self.id = id
        self.link = link
        self.parts = parts
        changed = WaitPoint(on: parts.loop)
    }

    /// What happens on the link is told to the agent.
    typealias Tell = @Sendable (PhoneEvent) async -> Void

    /// Serves the link until it ends, and says why it did.
    ///
    /// - Parameter waitForPing: Comes back when a ping of so many bytes may be answered.
    func run(_ tell: Tell, waitForPing: @escaping @Sendable (Int) async -> Void) async -> ChannelEnd {
        do throws(ChannelEnd) {
            let claimed = try await handshake(tell)
            try await serve(claimed, tell, waitForPing)
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
            channel.changed.signal()
        }
    }

    /// Ends the channel, and waits for nothing: what was said before, the last words and a close message, which shows that
    /// nothing was cut off, have `limit` to leave. Called on the loop.
    nonisolated func end(
        _ reason: ChannelEnd, lastWords: BoxMessage? = nil, within limit: Duration = LinkLimits.farewell
    ) {
        onSameLoop { $0.finish(reason, lastWords: lastWords, within: limit) }
    }

    /// The secret of the code that this link's message 1 named. Called on the loop.
    nonisolated func give(_ secret: HeldSecret) {
        onSameLoop { $0.permit(.tryCode(secret)) }
    }

    /// The peer's requests count from now on. Called on the loop.
    nonisolated func admit() {
        onSameLoop { $0.permit(.ask) }
    }

    private func permit(_ new: Permission) {
        permission = new
        changed.signal()
    }

    /// Waits until the link is closed, which `end` bounds.
    func waitUntilOver() async {
        while !isOver {
            let mark = changed.mark()
            guard !isOver, await changed.wait(since: mark) == .signalled else { return }
        }
    }

    /// Sends a message that may be long, when everything before it is on its way. For the channel's own reader: so at most
    /// one waits, and the phone, whose next request is not looked at before, is held back.
    private func sendInTurn(_ message: BoxMessage) async {
        await wait { !$0.isWriting }
        enqueue(message)
    }

    /// For the channel's own reader: until something is so, or the channel ends.
    private func wait(until isSo: (isolated PhoneChannel) -> Bool) async {
        while ending == nil, !isSo(self) {
            let mark = changed.mark()
            guard await changed.wait(since: mark) == .signalled else { return }
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
        changed.signal()
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
        loop.spawn { [link, changed] in
            await link.close()
            changed.signal()
        }
        changed.signal()
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
                changed.signal()
            } catch {
                finish(.linkClosed)
                closeLink()
            }
        }
        isWriting = false
        if ending != nil { closeLink() }
        changed.signal()
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

    private func handshake(_ tell: Tell) async throws(ChannelEnd) -> Claim {
        let first = try await receive(until: loop.now() + LinkLimits.handshake, late: .handshakeTimedOut)
        guard let opening = try? FirstMessage(parsing: first) else { throw .handshakeMalformed }
        switch opening {
        case .channel(let message1):
            return try await answerChannel(message1)
        case .enrol(let codeID, let message1):
            return try await answerEnrolment(message1, codeID: codeID, tell)
        }
    }

    private func answerChannel(_ message: [UInt8]) async throws(ChannelEnd) -> Claim {
        let ready: ResponderReady<XChaChaPoly>
        do {
            ready = try parts.keys.startChannel(on: link.link).readMessage1(message)
        } catch {
            throw .handshakeRefused
        }
        let claimed = ClaimedDevice(publicKey: ready.claimedRemoteStatic)
        // Read only: an unknown key ends here, as every other failure, with a closed link.
        guard try await record(of: claimed)?.state == .active else { throw .unknownDevice }
        try await answer(ready)
        return .device(claimed)
    }

    private func answerEnrolment(
        _ message: [UInt8], codeID: [UInt8], _ tell: Tell
    ) async throws(ChannelEnd) -> Claim {
        await tell(.triesCode(codeID))
        await wait { if case .tryCode = $0.permission { true } else { false } }
        guard ending == nil, case .tryCode(let psk) = permission else { throw ending ?? .unknownCode }
        permission = .none
        let ready: ResponderReady<XChaChaPoly>
        do {
            ready = try parts.keys.startEnrolment(on: link.link, codeID: codeID, psk: psk).readMessage1(message)
        } catch {
            throw .handshakeRefused
        }
        await tell(.codeFitted)
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

    /// Reads only.
    private func record(of claimed: ClaimedDevice) async throws(ChannelEnd) -> DeviceRecord? {
        do {
            return try await parts.vault.device(publicKey: claimed.publicKey)
        } catch {
            throw .vaultUnavailable
        }
    }

    // MARK: - Transport

    private func serve(
        _ claim: Claim, _ tell: Tell, _ waitForPing: @Sendable (Int) async -> Void
    ) async throws(ChannelEnd) {
        let first = try await open(
            try await receive(until: loop.now() + LinkLimits.halfOpen, late: .notAuthenticated), .notAuthenticated)
        try await prove(claim, tell)
        await link.raiseMessageLimit(to: LinkLimits.messageBytes)
        var message = try decode(first)
        guard case .hello = message.request else { throw .protocolViolation }
        while true {
            try await handle(message, of: claim, tell, waitForPing)
            await wait { $0.outbox.hasRoomForAnswers }
            if let ending { throw ending }
            let until = transport?.deadline ?? loop.now()
            let sealed = try await receive(until: until, late: .expired)
            message = try decode(try await open(sealed, .protocolViolation))
        }
    }

    /// Who it is counts only now that the first transport message has decrypted: the agent looks once more whether it was
    /// revoked, and says whether its requests are heard.
    private func prove(_ claim: Claim, _ tell: Tell) async throws(ChannelEnd) {
        switch claim {
        case .device(let claimed):
            guard let sheet = try await sheet(of: claimed) else { throw .revoked }
            await tell(.proved(sheet))
        case .enrolling(let publicKey):
            guard let hash = transport?.handshakeHash else { throw .notAuthenticated }
            let isEnrolled = try await record(of: ClaimedDevice(publicKey: publicKey)) != nil
            let nonce = randomBytes(count: EnrolmentCommitment.nonceBytes)
            await tell(.provedCode(publicKey: publicKey, handshakeHash: hash, nonce: nonce, isEnrolled: isEnrolled))
        }
        await wait { if case .ask = $0.permission { true } else { false } }
        // It gave way to another link meanwhile, or was revoked in between: nothing was said to anybody yet.
        if let ending { throw ending }
    }

    private func sheet(of claimed: ClaimedDevice) async throws(ChannelEnd) -> DeviceSheet? {
        guard let record = try await record(of: claimed) else { return nil }
        do {
            return try await parts.vault.sheet(of: record)
        } catch {
            throw .vaultUnavailable
        }
    }

    private func decode(_ plaintext: HeldSecret) throws(ChannelEnd) -> PhoneRequestMessage {
        do {
            return try plaintext.bytes.withBytes { bytes throws(WireError) in
                try PhoneRequestMessage.decode(bytes)
            }
        } catch {
            throw .protocolViolation
        }
    }

    private func handle(
        _ message: PhoneRequestMessage, of claim: Claim, _ tell: Tell, _ waitForPing: @Sendable (Int) async -> Void
    ) async throws(ChannelEnd) {
        // Silenced while the message was on its way: it ends soon, with the agent's last words.
        if isMuted { await wait { _ in false } }
        if let ending { throw ending }
        switch (claim, message.request) {
        // An enrolment's are answered as any other request that it may not make.
        case (.device, .ping(let bytes)):
            await waitForPing(bytes.count)
            await sendInTurn(.pong(message.id, bytes))
        default: await tell(.asked(message))
        }
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
