import PhoneMessages
import Vault

/// What a watching phone sees.
public enum WatchEvent: Sendable, Equatable {
    /// The box's state, at first and at each change.
    case state(BoxState)
    case accountProblem(AccountProblem)
    /// What one tap would do while the phone is near. Show it, and do nothing without the tap.
    case offer(Offer)
    /// The channel is gone; the phone comes back after the pause.
    case lost(PhoneError, pause: Duration)
}

extension Phone {
    /// Keeps a channel open and hands on each state that the box tells, until `event` says false, the task is
    /// cancelled, or the box refuses this phone. Comes back by itself after a lost link.
    public func watch(
        _ target: BoxTarget, _ interaction: PhoneInteraction,
        event: @Sendable (WatchEvent) async -> Bool
    ) async throws(PhoneError) {
        var rhythm = WatchRhythm(limits: limits)
        while true {
            let error: PhoneError
            do throws(PhoneError) {
                guard try await watchOnce(target, interaction, &rhythm, event) else { return }
                // The channel was as old as it may be: a new one follows at once.
                continue
            } catch let failure {
                error = failure
            }
            guard let pause = rhythm.pause(after: error) else { throw error }
            guard await event(.lost(error, pause: pause)) else { return }
            try await self.pause(pause)
        }
    }

    /// One channel. True when it ended by age and another should follow, false when nobody watches any more.
    private func watchOnce(
        _ target: BoxTarget, _ interaction: PhoneInteraction, _ rhythm: inout WatchRhythm,
        _ event: @Sendable (WatchEvent) async -> Bool
    ) async throws(PhoneError) -> Bool {
        let connected = try await connect(to: target, interaction)
        var conversation = ChannelConversation()
        let result: Result<Bool, PhoneError>
        do throws(PhoneError) {
            result = .success(try await follow(connected, &conversation, &rhythm, event))
        } catch {
            result = .failure(error)
        }
        await end(connected.channel)
        return try result.get()
    }

    private func follow(
        _ connected: ConnectedBox, _ conversation: inout ChannelConversation, _ rhythm: inout WatchRhythm,
        _ event: @Sendable (WatchEvent) async -> Bool
    ) async throws(PhoneError) -> Bool {
        let oldest = clock.now() + limits.watchedChannel
        var last: BoxState?
        var lastReport: Duration?
        while clock.now() < oldest {
            let id = await send(.status, on: connected.channel, &conversation)
            let asked = await answer(to: id, .simple, on: connected.channel, &conversation, PhoneInteraction())
            _ = try await settle(asked.end, connected.box)
            try await confirmIfNeeded(connected, &conversation)
            rhythm.connected()
            if let state = asked.state, state != last {
                last = state
                guard await event(.state(state)) else { return false }
            }
            let quietUntil = min(clock.now() + limits.keepAlive, oldest)
            guard try await pushes(connected, &conversation, until: quietUntil, &last, &lastReport, event) else {
                return false
            }
        }
        return true
    }

    /// Hands on what the box pushes until a time; false when nobody watches any more.
    private func pushes(
        _ connected: ConnectedBox, _ conversation: inout ChannelConversation, until deadline: Duration,
        _ last: inout BoxState?, _ lastReport: inout Duration?, _ event: @Sendable (WatchEvent) async -> Bool
    ) async throws(PhoneError) -> Bool {
        while true {
            var next = deadline
            if conversation.boxCapabilities.contains(.presence) {
                next = min(deadline, try await reportIfDue(connected, &conversation, &lastReport))
            }
            switch await connected.channel.receive(until: next) {
            case .timedOut where next < deadline: continue
            case .timedOut: return true
            case .cancelled: throw .cancelled
            case .ended: throw .linkLost(boxID: connected.box.digits)
            case .unintelligible: throw .nonsense(boxID: connected.box.digits)
            case .message(let message):
                switch conversation.sort(message, current: nil) {
                case .state(let state):
                    guard state != last else { continue }
                    last = state
                    guard await event(.state(state)) else { return false }
                case .accountProblem(let problem):
                    guard await event(.accountProblem(problem)) else { return false }
                case .offer(let offer):
                    guard await event(.offer(offer)) else { return false }
                case .revoked: _ = try await settle(.revoked, connected.box)
                case .late: continue
                case .agreed, .answer, .versionRefused, .nonsense:
                    throw .nonsense(boxID: connected.box.digits)
                }
            }
        }
    }

    /// Measures and reports once a second; the time of the next report.
    private func reportIfDue(
        _ connected: ConnectedBox, _ conversation: inout ChannelConversation, _ lastReport: inout Duration?
    ) async throws(PhoneError) -> Duration {
        let now = clock.now()
        if let lastReport, now < lastReport + limits.report { return lastReport + limits.report }
        let measured = await connected.link.signalStrength().map {
            min(max($0, SignalRules.dBm.lowerBound), SignalRules.dBm.upperBound)
        }
        for message in conversation.open(.reportSignal(dBm: measured)).messages {
            guard await connected.channel.send(message) else { throw .linkLost(boxID: connected.box.digits) }
        }
        // From when it has left: on a link that stalls no reports pile up.
        let sent = clock.now()
        lastReport = sent
        return sent + limits.report
    }
}
