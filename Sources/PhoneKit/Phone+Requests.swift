import PhoneMessages
import Vault
import VaultPort

extension Phone {
    /// Whether a request may be sent a second time when its answer was lost.
    enum Repeating {
        /// It asks, or sets what it set before.
        case harmless
        /// It spends a try, or hands a password over.
        case never
    }

    /// What came of a request, and what holds afterwards, as far as the box said so on the way.
    public struct Answer: Sendable, Equatable {
        public let outcome: RequestOutcome
        public let state: BoxState?
        /// What the box warns of still.
        public var warning: LogoutWarning?
    }

    /// Connects, asks, closes.
    func ask(
        _ target: BoxTarget, _ kind: RequestKind, _ repeating: Repeating,
        _ interaction: PhoneInteraction, _ request: (KnownBox) async throws(PhoneError) -> PhoneRequest
    ) async throws(PhoneError) -> Answer {
        var repeats = 0
        while true {
            let connected = try await connect(to: target, interaction)
            var conversation = ChannelConversation()
            let answered: (end: RequestEnd, state: BoxState?)
            do throws(PhoneError) {
                let id = await send(try await request(connected.box), on: connected.channel, &conversation)
                answered = await answer(to: id, kind, on: connected.channel, &conversation, interaction)
                try await confirmIfNeeded(connected, &conversation)
            } catch {
                await end(connected.channel)
                throw error
            }
            await end(connected.channel)
            switch answered.end {
            case .lost, .closedUnanswered, .silent:
                if repeating == .harmless, repeats + 1 < limits.handshakeAttempts {
                    repeats += 1
                    interaction.progress(.retrying(boxID: target.boxID))
                    continue
                }
                throw try await explain(answered.end, target, repeating, interaction)
            default:
                return Answer(outcome: try await settle(answered.end, connected.box), state: answered.state)
            }
        }
    }

    /// Sends a request, with hello ahead of a channel's first one. The request is let go of here, and its secrets with
    /// it: the answer may take minutes.
    func send(
        _ request: consuming PhoneRequest, on channel: BoxChannel, _ conversation: inout ChannelConversation
    ) async -> RequestID {
        let (messages, id) = conversation.open(request)
        for message in messages {
            // A broken link shows in `receive` as well, behind what the box still said.
            guard await channel.send(message) else { break }
        }
        return id
    }

    /// Waits for what comes of a request that was sent, to its end.
    ///
    /// - Parameter watching: The box that is watched over this channel: reports go on meanwhile.
    func answer(
        to id: RequestID, _ kind: RequestKind, on channel: BoxChannel,
        _ conversation: inout ChannelConversation, _ interaction: PhoneInteraction, watching: ConnectedBox? = nil
    ) async -> (end: RequestEnd, state: BoxState?) {
        var exchange = RequestExchange(
            kind, isAgreed: conversation.isAgreed, limits: limits, now: clock.now())
        var state: BoxState?
        while true {
            var next = exchange.deadline
            // That a report cannot be sent shows in `receive` as well.
            if let watching, let report = try? await reportIfDue(watching, &conversation) { next = min(next, report) }
            let event: RequestExchange.Event
            switch await channel.receive(until: next) {
            case .timedOut where next < exchange.deadline: continue
            case .message(let message): event = .delivery(conversation.sort(message, current: id))
            case .unintelligible: event = .delivery(.nonsense)
            case .timedOut: event = .timer
            case .ended: event = .ended
            case .cancelled:
                if kind == .login { await withdraw(on: channel, &conversation) }
                return (.cancelled, state)
            }
            for action in exchange.handle(event, now: clock.now()) {
                switch action {
                case .report(let progress): interaction.progress(.request(progress))
                case .state(let told): state = told
                case .finish(let end): return (end, state)
                }
            }
        }
    }

    /// Says goodbye and ends the link, also for a task that was cancelled.
    func end(_ channel: BoxChannel) async {
        await start { await channel.close() }.value
    }

    /// A person who gives up takes the password back, if no program has it yet. The answer is not waited for.
    private func withdraw(on channel: BoxChannel, _ conversation: inout ChannelConversation) async {
        let messages = conversation.open(.cancelLogin).messages
        // A cancelled task cannot send.
        await start {
            for message in messages {
                guard await channel.send(message) else { return }
            }
        }.value
    }

    /// Turns an end that has an answer into an outcome, and does what the phone owes it.
    func settle(_ end: RequestEnd, _ box: KnownBox) async throws(PhoneError) -> RequestOutcome {
        switch end {
        case .outcome(.refused(.protocolVersion, _)): throw .protocolVersion(boxID: box.digits)
        case .outcome(.refused(.wiped, let detail)):
            try await destroySecret(of: box)
            return .refused(.wiped, detail)
        case .outcome(let outcome): return outcome
        case .revoked:
            try await forgetRevoked(box)
            throw .revoked(boxID: box.digits)
        case .nonsense: throw .nonsense(boxID: box.digits)
        case .cancelled: throw .cancelled
        case .silent: throw .noAnswer(boxID: box.digits)
        case .lost: throw .linkLost(boxID: box.digits)
        case .closedUnanswered: throw .notAccepted(boxID: box.digits)
        }
    }

    /// The box trusts this phone no more: key, device secret and password go at once, and durably (docs/protocol.md section
    /// 12). Nothing is left that a thief of the phone could use there.
    func forgetRevoked(_ box: KnownBox) async throws(PhoneError) {
        do throws(PhoneError) {
            try await forget(box)
        } catch .vault(.notFound) {
            // Somebody else on this phone heard it first.
            return
        }
    }

    /// What the box may still hold must open no more, whatever becomes of its disk.
    private func destroySecret(of box: KnownBox) async throws(PhoneError) {
        try await inVault { (vault) throws(VaultError) in try await vault.destroyDeviceSecret(box.id) }
    }

    /// A box that does not know a phone ends the link as silently as a radio that loses it. A harmless question
    /// tells the two apart, without sending the secret again.
    private func explain(
        _ end: RequestEnd, _ target: BoxTarget, _ repeating: Repeating, _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> PhoneError {
        if end == .silent { return .noAnswer(boxID: target.boxID) }
        if end == .lost { return .linkLost(boxID: target.boxID) }
        guard repeating == .never else { return .notAccepted(boxID: target.boxID) }
        _ = try await status(target, interaction)
        return .linkLost(boxID: target.boxID)
    }
}
