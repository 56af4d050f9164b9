import Links
import PhoneMessages
import Secrets
import SecureChannel
import VaultPort

/// The box's end of one link from a phone: segments, handshake, channel and messages. Pure.
///
/// ```
/// opening ─channel─► finding ── stranger ─────────┐
///     ├──document──► document wanted ─► (shown)     │
///     └────enrol───► code wanted ─► code fitted ──┴► answering ─► half-open ─► proving ─► proved ─┐ admitted
///                                                                                                 ▼
///                    silenced ◄─muted── listening ◄─── room for answers ◄─── asked, pinging ◄── request
/// ```
/// The box trusts nothing before the first transport message decrypts. It asks for the next message only after the
/// previous one is handled and few answers wait. A phone that reads slowly is thus held back by its own window.
package final class BoxEnd {
    private var responding: Responding
    private var flow: MessageFlow
    private var transport: ChannelTransport<XChaChaPoly>?
    private var stage: Stage
    private var permission = Permission.none
    private var outbox = PhoneOutbox()
    /// True once the phone's requests are ignored and nothing is sent to it.
    private var isMuted = false
    /// True until the agent has handled the last event that it was told.
    private var isTelling = false
    private var ending: (reason: ChannelEnd, until: Duration, isSealed: Bool)?
    private var actions: [BoxEndAction] = []

    /// - Parameter binding: The carrier's part of the handshake's prologue.
    package init(_ keys: BoxKeys, binding: [UInt8], limits: SegmentLimits, now: Duration) {
        responding = Responding(keys, binding: binding)
        flow = MessageFlow(limits: limits, messageLimit: LinkLimits.unauthenticatedMessageBytes)
        stage = .opening(until: now + LinkLimits.handshake)
        _ = flow.ask(now: now)
    }

    /// The time at which `.time` is next due, or nil once the link is closed.
    package var deadline: Duration? {
        guard !isOver else { return nil }
        var next = flow.deadline
        switch stage {
        case .opening(let until), .documentWanted(let until), .halfOpen(_, let until), .listening(_, let until):
            next = min(next ?? until, until)
        default: break
        }
        if let ending { next = min(next ?? ending.until, ending.until) }
        return next
    }

    package var isOver: Bool {
        if case .over = stage { true } else { false }
    }

    /// The number of segments that the radio has not taken, and of the phone's bytes stored here. Both are bounded.
    package var kept: (segments: Int, bytes: Int) { (flow.unwrittenCount, flow.keptBytes) }

    package func handle(_ event: BoxEndEvent, now: Duration) -> [BoxEndAction] {
        guard !isOver else { return [] }
        route(event, now)
        goOn(now)
        defer { actions = [] }
        return actions
    }

    private func route(_ event: BoxEndEvent, _ now: Duration) {
        switch event {
        case .segment(let segment): if let message = flow.receive(segment, now: now) { arrived(message, now) }
        case .written: flow.written()
        case .linkDown: flow.linkIsDown()
        case .found(let record): found(record, now)
        case .read(let sheet): read(sheet, now)
        case .vaultFailed: vaultFailed(now)
        case .heard: isTelling = false
        case .mayPing:
            if case .pinging(let claim, let id, let bytes, _) = stage {
                stage = .pinging(claim, id, bytes, isAllowed: true)
            }
        case .time: timeHasCome(now)
        case .give(let secret): permission = .tryCode(secret)
        case .admit: permission = .ask
        case .show(let document): if case .documentWanted = stage { flow.send(document, now: now) }
        case .say(let message): say(message, now)
        case .mute:
            isMuted = true
            outbox.clear()
        case .end(let reason, let lastWords, let limit): end(reason, now, lastWords: lastWords, within: limit)
        }
    }

    private func timeHasCome(_ now: Duration) {
        switch stage {
        case .opening(let until) where now >= until, .documentWanted(let until) where now >= until:
            end(.handshakeTimedOut, now)
        case .halfOpen(_, let until) where now >= until: end(.notAuthenticated, now)
        case .listening(_, let until) where now >= until: end(.expired, now)
        default: break
        }
        flow.timeHasCome(now: now)
        if let ending, now >= ending.until { close() }
    }

    // MARK: - Steps

    /// Does everything that is possible now: the next step, waiting messages, and the end.
    private func goOn(_ now: Duration) {
        while !isOver {
            emitSegments()
            if write(now) { continue }
            if flow.isBroken || (flow.isDown && mustEnd) { lost(now) }
            guard !isOver, !isTelling, ending == nil, step(now) else { break }
        }
        emitSegments()
    }

    /// True if a link that is down ends the channel now: no earlier message of the phone is in progress, or something
    /// should be sent. A broken link always ends at once, so a phone that breaks a rule does not keep its link.
    private var mustEnd: Bool {
        switch stage {
        case .opening, .documentWanted, .halfOpen, .listening, .answering: true
        default: flow.isWriting || ending != nil
        }
    }

    /// Performs one step of the reader. Returns false if another event must come first.
    private func step(_ now: Duration) -> Bool {
        switch (stage, permission) {
        case (.codeWanted(let codeID, let message1), .tryCode(let psk)):
            permission = .none
            guard let key = responding.read(message1, codeID: codeID, psk: psk) else {
                end(.handshakeRefused, now)
                return true
            }
            stage = .codeFitted(.enrolling(key))
            tell(.codeFitted)
        case (.codeFitted(let claim), _): answer(claim, now)
        case (.stranger(let key), .ask):
            permission = .none
            answer(.visitor(key), now)
        case (.answering(let claim), _) where !flow.isWriting:
            var limit = LinkLimits.halfOpen
            if case .visitor = claim { limit = LinkLimits.strangerHalfOpen }
            stage = .halfOpen(claim, until: now + limit)
            askNext(now)
        case (.judged(let claim), .ask): stage = .asked(claim)
        case (.proved(let claim, let first), .ask):
            permission = .none
            flow.raiseMessageLimit(to: LinkLimits.messageBytes)
            guard let message = decode(first, now) else { return true }
            guard case .hello = message.request else {
                end(.protocolViolation, now)
                return true
            }
            consider(message, claim)
        case (.pinging(let claim, let id, let bytes, isAllowed: true), _) where !flow.isWriting:
            // The outbox is empty here, so at most one pong waits.
            stage = .asked(claim)
            say(.pong(id, bytes), now)
        case (.asked(let claim), _) where outbox.hasRoomForAnswers:
            stage = .listening(claim, until: transport?.deadline ?? now)
            askNext(now)
        default: return false
        }
        return true
    }

    private func askNext(_ now: Duration) {
        if let message = flow.ask(now: now) { arrived(message, now) }
    }

    private func tell(_ event: ChannelEvent) {
        isTelling = true
        emitSegments()
        actions.append(.tell(event))
    }

    private func emitSegments() {
        for segment in flow.takeSegments() { actions.append(.write(segment)) }
    }

    // MARK: - Messages from the phone

    private func arrived(_ message: [UInt8], _ now: Duration) {
        switch stage {
        case .opening: open(message, now)
        case .halfOpen(let claim, _):
            guard let first = decrypt(message, or: .notAuthenticated, now) else { return }
            prove(claim, first)
        case .listening(let claim, _):
            guard let opened = decrypt(message, or: .protocolViolation, now), let request = decode(opened, now) else {
                return
            }
            consider(request, claim)
        default: break
        }
    }

    private func open(_ message: [UInt8], _ now: Duration) {
        if case .opening(let until) = stage, let request = DocumentRequest(parsing: message) {
            stage = .documentWanted(until: until)
            return tell(.wantsDocument(shown: request.shown))
        }
        switch try? FirstMessage(parsing: message) {
        case nil: end(.handshakeMalformed, now)
        case .channel(let message1):
            guard let key = responding.read(message1) else { return end(.handshakeRefused, now) }
            stage = .finding(key)
            // The search only reads. Without a site, an unknown key just closes the link, like any other failure.
            actions.append(.find(key))
        case .enrol(let codeID, let message1):
            stage = .codeWanted(codeID: codeID, message1: message1)
            tell(.triesCode(codeID))
        }
    }

    private func answer(_ claim: Claim, _ now: Duration) {
        guard let step = responding.answer(now: now) else { return end(.linkClosed, now) }
        let message = step.message
        keep(step.transport)
        stage = .answering(claim)
        flow.send(message, now: now)
    }

    private func keep(_ opened: consuming ChannelTransport<XChaChaPoly>) {
        transport = consume opened
    }

    /// Starts to identify the phone, now that its first transport message has decrypted. The vault is read again,
    /// because the phone may have been revoked meanwhile. The agent then decides whether to hear its requests.
    private func prove(_ claim: Claim, _ first: HeldSecret) {
        stage = .proving(claim, first: first)
        switch claim {
        case .device(let key), .visitor(let key): actions.append(.read(key))
        case .enrolling(let key), .carried(let key): actions.append(.find(key))
        }
    }

    private func decrypt(_ message: [UInt8], or failure: ChannelEnd, _ now: Duration) -> HeldSecret? {
        do throws(ChannelError) {
            guard let opened = try transport?.open(message, now: now) else { return nil }
            return HeldSecret(opened)
        } catch {
            end(error == .closedByPeer ? .linkClosed : failure, now)
            return nil
        }
    }

    private func decode(_ plaintext: HeldSecret, _ now: Duration) -> PhoneRequestMessage? {
        let message = plaintext.bytes.withBytes { try? PhoneRequestMessage.decode($0) }
        if message == nil { end(.protocolViolation, now) }
        return message
    }

    private func consider(_ message: PhoneRequestMessage, _ claim: Claim) {
        // Ignore the request: the channel ends soon, with the agent's last words.
        if isMuted { return stage = .silenced }
        switch (claim, message.request) {
        // During an enrolment, the agent answers a ping like any other request that is not allowed then.
        case (.device, .ping(let bytes)):
            stage = .pinging(claim, message.id, bytes, isAllowed: false)
            actions.append(.waitForPing(bytes.count))
        case (.visitor(let key), _):
            stage = .judged(message.request.wantsCarry ? .carried(key) : .device(key))
            tell(.asked(message))
        default:
            stage = .asked(claim)
            tell(.asked(message, on: transport?.handshakeHash))
        }
    }

    // MARK: - Answers of the vault

    private func found(_ record: DeviceRecord?, _ now: Duration) {
        switch stage {
        case .finding(let key):
            if record?.state == .active { return answer(.device(key), now) }
            guard record?.isOfSite ?? true else { return end(.unknownDevice, now) }
            stage = .stranger(key)
            tell(.unknownKey)
        case .proving(.enrolling(let key), let first):
            guard let hash = transport?.handshakeHash else { return end(.notAuthenticated, now) }
            let nonce = randomBytes(count: EnrolmentCommitment.nonceBytes)
            stage = .proved(.enrolling(key), first: first)
            tell(.provedCode(publicKey: key, handshakeHash: hash, nonce: nonce, isEnrolled: record != nil))
        default: break
        }
    }

    private func read(_ sheet: DeviceSheet?, _ now: Duration) {
        guard case .proving(let claim, let first) = stage else { return }
        switch (claim, sheet) {
        case (.device(let key), let sheet?), (.visitor(let key), let sheet?):
            if sheet.record.isOfSite, sheet.record.state == .revoked { return strange(key, first) }
            stage = .proved(sheet.record.isOfSite ? .visitor(key) : .device(key), first: first)
            tell(.proved(sheet))
        case (.visitor(let key), nil): strange(key, first)
        default: end(.revoked, now)
        }
    }

    /// Handles a phone that the vault does not know, or no longer accepts. The phone must identify itself with a grant.
    private func strange(_ key: [UInt8], _ first: HeldSecret) {
        stage = .proved(.visitor(key), first: first)
        tell(.provedStranger(key))
    }

    private func vaultFailed(_ now: Duration) {
        switch stage {
        case .finding, .proving: end(.vaultUnavailable, now)
        default: break
        }
    }

    // MARK: - Messages to the phone

    private func say(_ message: BoxMessage, _ now: Duration) {
        guard ending == nil, !isMuted, transport != nil else { return }
        if !outbox.add(message) { end(.outboxFull, now) }
    }

    /// Seals a message when the link accepts one, so that counters follow the link's order. Returns true on a change.
    private func write(_ now: Duration) -> Bool {
        guard !flow.isWriting else { return false }
        if let message = outbox.next() {
            if let plain = try? message.encoded(), let sealed = try? transport?.seal(plain, now: now) {
                flow.send(sealed, now: now)
                if flow.isDown { lost(now) }
            } else {
                outbox.clear()
                end(.protocolViolation, now)
            }
            return true
        }
        guard let ending else { return false }
        guard !ending.isSealed, let goodbye = try? transport?.sealClose() else {
            close()
            return true
        }
        self.ending?.isSealed = true
        flow.send(goodbye, now: now)
        if flow.isDown { close() }
        return true
    }

    // MARK: - The end

    private func lost(_ now: Duration) {
        end(.linkClosed, now)
        close()
    }

    /// Ends the channel within `limit`. Earlier messages, the last words and a close message leave first. The close
    /// message proves that nothing was cut off.
    private func end(
        _ reason: ChannelEnd, _ now: Duration, lastWords: BoxMessage? = nil,
        within limit: Duration = LinkLimits.farewell
    ) {
        guard ending == nil, !isOver else { return }
        ending = (reason, now + limit, false)
        stage = .silenced
        // Close at once without a channel or a working link. A phone that let its outbox fill up has had its time.
        guard transport != nil, reason != .linkClosed, reason != .outboxFull, !flow.isDown else { return close() }
        if let lastWords, !outbox.add(lastWords) {
            outbox.clear()
            _ = outbox.add(lastWords)
        }
    }

    private func close() {
        guard !isOver else { return }
        emitSegments()
        stage = .over
        outbox.clear()
        transport = nil
        responding.drop()
        permission = .none
        actions.append(.close(ending?.reason ?? .linkClosed))
    }
}
