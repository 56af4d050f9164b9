import PhoneMessages
import Secrets
import SecureChannel
import Transport
import Vault
import VaultPort

/// Enrolment. What makes it safe against loss at any point:
///
/// 1. Certificate and authority are checked against the code before anything is sent.
/// 2. The phone's key for the box is in the vault, not confirmed, before the request leaves. One such row a box.
/// 3. "Enrolled" confirms the row; "no" removes it, once an ordinary channel has shown that no earlier request of the
///    same row was confirmed meanwhile; silence leaves it.
/// 4. Whoever tries again, with the code or without, first tries the row's key on an ordinary channel: a box that
///    answers there has enrolled this phone, and the row is confirmed.
extension Phone {
    /// Enrols this phone with a code. `label` is what the administrator's list calls it, as `LabelRules` allow.
    public func enrol(
        _ code: EnrolmentCode, label: [UInt8], _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> KnownBox {
        let waiting = try await boxes().first { !$0.confirmed && $0.boxKey == code.boxKey }
        if let waiting, let done = try await resume(waiting, interaction) { return done }
        let (link, identity, serial) = try await reach(code, interaction)
        let box: KnownBox
        do throws(PhoneError) {
            box = try await row(for: code, waiting, serial: serial, label: label)
        } catch {
            await link.close()
            throw error
        }
        let reached = ReachedBox(box: box, link: link, identity: identity)
        let connected: ConnectedBox
        do throws(HandshakeFailure) {
            connected = try await handshake(
                with: reached, .enrolment(codeID: code.codeID, psk: code.psk))
        } catch {
            // Nothing but message 1 has left: a new row holds nothing. One that waited may be confirmed by now, and
            // its code used up.
            if waiting == nil { try await forget(box) }
            switch error {
            case .refused:
                if let waiting, let done = try await resume(waiting, interaction) { return done }
                throw .codeNotAccepted(boxID: code.boxID)
            case .cancelled: throw .cancelled
            case .vault(let error): throw .vault(error)
            }
        }
        interaction.progress(.connected(boxID: code.boxID))
        var conversation = ChannelConversation()
        let answer = await request(label, connected, &conversation, interaction)
        await end(connected.channel)
        if case .refused = answer, let waiting, let done = try await resume(waiting, interaction) {
            // The administrator confirmed the earlier request just now; it was this one that came too late.
            return done
        }
        return try await settle(answer, box, wasWaiting: waiting != nil)
    }

    /// An enrolment whose answer was lost: whether the box has this phone by now. Nil: it does not.
    private func resume(
        _ waiting: KnownBox, _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> KnownBox? {
        do throws(PhoneError) {
            _ = try await status(BoxTarget(waiting), interaction)
        } catch {
            switch error {
            case .notAccepted: return nil
            // It is forgotten already.
            case .revoked: return nil
            default: throw error
            }
        }
        return try await boxes().first { $0.id == waiting.id && $0.confirmed }
    }

    private func reach(
        _ code: EnrolmentCode, _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> (link: any PhoneLink, identity: [UInt8], serial: UInt64) {
        var attempts = 0
        while true {
            let failure: PhoneError
            interaction.progress(.searching(boxID: code.boxID))
            var search = BoxSearch(boxID: code.boxID, until: clock.now() + limits.scan)
            while let advertisement = try await next(&search) {
                interaction.progress(.connecting(boxID: code.boxID))
                do throws(ReachFailure) {
                    let (link, identity) = try await identify(advertisement)
                    let serial: UInt64
                    do throws(IdentityProblem) {
                        serial = try code.expectedIdentity.check(identity).serial
                    } catch {
                        await link.close()
                        interaction.progress(.passedBy(boxID: code.boxID, error))
                        search.passBy(advertisement, .identity(error), now: clock.now())
                        continue
                    }
                    do throws(LinkError) {
                        return (
                            try await carrier(of: link, for: 0, boxID: code.boxID, interaction), identity, serial
                        )
                    } catch {
                        throw error == .cancelled ? .cancelled : .link(error)
                    }
                } catch {
                    if case .cancelled = error { throw .cancelled }
                    search.passBy(advertisement, error, now: clock.now())
                }
            }
            failure = search.failure
            attempts += 1
            guard case .unreachable = failure, attempts < limits.connectAttempts else { throw failure }
            interaction.progress(.retrying(boxID: code.boxID))
            try await pause(limits.betweenAttempts)
        }
    }

    /// The row that waits for this box, or a new one with new keys.
    private func row(
        for code: EnrolmentCode, _ waiting: KnownBox?, serial: UInt64, label: [UInt8]
    ) async throws(PhoneError) -> KnownBox {
        if let waiting {
            // The label of this try is what the box is told.
            guard waiting.label != label else { return waiting }
            return try await inVault { (vault) throws(VaultError) in try await vault.setLabel(label, of: waiting.id) }
        }
        let new = NewBox(
            boxID: code.boxIDBytes, boxKey: code.boxKey, authorityKey: code.authorityKey, serial: serial,
            user: code.user, label: label)
        return try await inVault { (vault) throws(VaultError) in try await vault.beginEnrolment(new) }
    }

    private func request(
        _ label: [UInt8], _ connected: ConnectedBox, _ conversation: inout ChannelConversation,
        _ interaction: PhoneInteraction
    ) async -> EnrolmentEnd {
        let (channel, hash) = (connected.channel, connected.handshakeHash)
        let nonce = randomBytes(count: EnrolmentCommitment.nonceBytes)
        let commitment = EnrolmentCommitment.of(nonce: nonce, handshakeHash: hash)
        let request = PhoneRequest.enrol(EnrolRequest(label: label, commitment: commitment))
        let id = await send(request, on: channel, &conversation)
        return await follow(
            EnrolmentExchange(limits: limits, now: clock.now()), id, on: channel, &conversation, interaction
        ) { boxNonce in
            let digits = EnrolmentCommitment.digits(handshakeHash: hash, phoneNonce: nonce, boxNonce: boxNonce)
            return (nonce, String(decoding: digits, as: UTF8.self))
        }
    }

    /// Asks an ordinary channel for the answer that was not heard.
    private func requestAgain(
        _ connected: ConnectedBox, _ conversation: inout ChannelConversation
    ) async -> EnrolmentEnd {
        let id = await send(.enrolment, on: connected.channel, &conversation)
        return await follow(
            EnrolmentExchange(limits: limits, asksAgain: true, now: clock.now()), id, on: connected.channel,
            &conversation, PhoneInteraction()
        ) { _ in ([], "") }
    }

    /// `reveal` gives the phone's nonce, and the digits to show once it is out.
    private func follow(
        _ start: EnrolmentExchange, _ first: RequestID, on channel: BoxChannel,
        _ conversation: inout ChannelConversation, _ interaction: PhoneInteraction,
        reveal: ([UInt8]) -> (nonce: [UInt8], digits: String)
    ) async -> EnrolmentEnd {
        var (exchange, id) = (start, first)
        while true {
            let event: EnrolmentExchange.Event
            switch await channel.receive(until: exchange.deadline) {
            case .message(let message): event = .delivery(conversation.sort(message, current: id))
            case .unintelligible: event = .delivery(.nonsense)
            case .timedOut: event = .timer
            case .ended: event = .ended
            case .cancelled: return .cancelled
            }
            for action in exchange.handle(event, now: clock.now()) {
                switch action {
                case .reveal(let boxNonce):
                    let (nonce, digits) = reveal(boxNonce)
                    id = await send(.reveal(nonce: nonce), on: channel, &conversation)
                    interaction.progress(.compare(digits: digits))
                case .waitingForAdministrator: interaction.progress(.waitingForAdministrator)
                case .finish(let end): return end
                }
            }
        }
    }

    private func settle(
        _ end: EnrolmentEnd, _ box: KnownBox, wasWaiting: Bool
    ) async throws(PhoneError) -> KnownBox {
        switch end {
        case .enrolled(let result): return try await confirm(box, result)
        case .refused(let code, _):
            // "Busy" may be this phone's own earlier request, on a link that the box still believes in, and a box
            // with a fault may have written more than it says: the key of such a request is kept.
            let mayBeOurs = code == .busy || code == .boxFault
            if !(wasWaiting && mayBeOurs) { try await forget(box) }
            switch code {
            case .protocolVersion: throw .protocolVersion(boxID: box.digits)
            case .alreadyEnrolled: throw .alreadyEnrolled(boxID: box.digits)
            case .busy: throw .enrolmentBusy(boxID: box.digits)
            default: throw .enrolmentRefused(boxID: box.digits)
            }
        case .uncertain, .cancelled: throw .enrolmentUncertain(boxID: box.digits)
        case .nonsense: throw .nonsense(boxID: box.digits)
        }
    }

    /// A box that answers on an ordinary channel has enrolled this phone, whether or not its word was heard at the
    /// time. What it said then is asked again.
    func confirmIfNeeded(
        _ connected: ConnectedBox, _ conversation: inout ChannelConversation
    ) async throws(PhoneError) {
        let box = connected.box
        guard !box.confirmed, conversation.isAgreed else { return }
        switch await requestAgain(connected, &conversation) {
        case .enrolled(let result): _ = try await confirm(box, result)
        case .refused(.revoked, _):
            try await forgetRevoked(box)
            throw .revoked(boxID: box.digits)
        case .refused, .nonsense, .uncertain, .cancelled: return
        }
    }

    private func confirm(_ box: KnownBox, _ result: EnrolResult) async throws(PhoneError) -> KnownBox {
        let mode: VaultPort.CredentialMode = result.credentialMode == .boxHeld ? .boxHeld : .phoneHeld
        return try await inVault { (vault) throws(VaultError) in
            try await vault.confirmEnrolment(box.id, user: result.user, mode: mode)
            guard let confirmed = try await vault.box(box.id) else { throw .notFound(what: "box") }
            return confirmed
        }
    }
}
