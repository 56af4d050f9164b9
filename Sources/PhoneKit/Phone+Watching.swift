import PhoneMessages
import Vault

/// What a watching phone sees.
public enum WatchEvent: Sendable, Equatable {
    /// The box's state, at first and at each change.
    case state(BoxState)
    case accountProblem(AccountProblem)
    /// A session of this phone's is over; the state that follows may still name another one.
    case sessionEnded(SessionEnd)
    /// What one tap would do while the phone is near. Show it, and do nothing without the tap.
    case offer(Offer)
    /// The session ends soon, and whether one tap puts that off; nil: it does not any more.
    case warning(LogoutWarning?)
    /// What came of a tap.
    case acted(SessionAct, RequestOutcome)
    /// What came of a login by a tap; on the way there the interaction hears how far it has come.
    case loggedIn(RequestOutcome)
    /// A program on the box asks for the person's password. Show box, service, terminal and requester, and answer with
    /// `Phone.allow` or `Phone.decline`; nil: it needs no answer any more.
    case elevation(ElevationPrompt?)
    /// What came of the answer.
    case answered(allowed: Bool, RequestOutcome)
    /// The channel is gone, and with it every offer, warning and request; the phone comes back after the pause.
    case lost(PhoneError, pause: Duration)
}

/// What a tap asks of the session.
public enum SessionAct: Sendable, Equatable, CaseIterable {
    case lock
    case unlock
    case logout
    /// Put off the automatic logout that the box warns of.
    case extend

    var request: PhoneRequest {
        switch self {
        case .lock: .lock
        case .unlock: .unlock
        case .logout: .logout
        case .extend: .extend
        }
    }
}

extension Phone {
    /// Keeps a channel open and hands on each state that the box tells, until `event` says false, the task is
    /// cancelled, or the box refuses this phone. Comes back by itself after a lost link.
    public func watch(
        _ target: BoxTarget, _ interaction: PhoneInteraction,
        event: @Sendable (WatchEvent) async -> Bool
    ) async throws(PhoneError) {
        var rhythm = WatchRhythm(limits: limits)
        // Of several boxes with the same digits the first that was reached stays the one that is watched.
        var target = target
        begin(target)
        defer { for box in target.candidates { (taps[box.id], watched[box.id]) = (nil, nil) } }
        var shown = Shown()
        while true {
            let error: PhoneError
            do throws(PhoneError) {
                guard try await watchOnce(&target, interaction, &rhythm, &shown, event) else { return }
                // The channel was as old as it may be: a new one follows at once.
                continue
            } catch let failure {
                error = failure
            }
            guard let pause = rhythm.pause(after: error) else { throw error }
            guard await event(.lost(error, pause: pause)) else { return }
            // Who tapped then has been told that there is no connection.
            begin(target)
            shown = Shown()
            try await self.pause(pause)
        }
    }

    /// Takes taps for a box, once it is known which.
    private func begin(_ target: BoxTarget) {
        for box in target.candidates { watched[box.id] = nil }
        if let box = target.candidates.first, target.candidates.count == 1 { taps[box.id] = [] }
    }

    /// One channel. True when it ended by age and another should follow, false when nobody watches any more.
    private func watchOnce(
        _ target: inout BoxTarget, _ interaction: PhoneInteraction, _ rhythm: inout WatchRhythm, _ shown: inout Shown,
        _ event: @Sendable (WatchEvent) async -> Bool
    ) async throws(PhoneError) -> Bool {
        let connected = try await connect(to: target, interaction)
        target = BoxTarget(connected.box)
        let id = connected.box.id
        if taps[id] == nil { taps[id] = [] }
        watched[id] = WatchedChannel(box: connected.box, interaction: interaction)
        var conversation = ChannelConversation()
        let result: Result<Bool, PhoneError>
        do throws(PhoneError) {
            result = .success(try await follow(connected, &conversation, &rhythm, &shown, event))
        } catch {
            result = .failure(error)
        }
        await end(connected.channel)
        return try result.get()
    }

    /// What the watcher was shown.
    private struct Shown {
        var state: BoxState?
        var offer = Offer.none
        var warning: LogoutWarning?
        var elevation: ElevationPrompt?
    }

    private func follow(
        _ connected: ConnectedBox, _ conversation: inout ChannelConversation, _ rhythm: inout WatchRhythm,
        _ shown: inout Shown, _ event: @Sendable (WatchEvent) async -> Bool
    ) async throws(PhoneError) -> Bool {
        let box = connected.box
        let oldest = clock.now() + limits.watchedChannel
        while clock.now() < oldest {
            let asked = try await ask(.status, .simple, connected, &conversation)
            try await confirmIfNeeded(connected, &conversation)
            rhythm.connected()
            guard await show(asked.state, &conversation, box, &shown, event) else { return false }
            let quietUntil = min(clock.now() + limits.keepAlive, oldest)
            guard try await pushes(connected, &conversation, until: quietUntil, &shown, event) else { return false }
        }
        return true
    }

    /// Tells the watcher what is new; false when nobody watches any more.
    private func show(
        _ state: BoxState?, _ conversation: inout ChannelConversation, _ box: KnownBox, _ shown: inout Shown,
        _ event: @Sendable (WatchEvent) async -> Bool
    ) async -> Bool {
        for end in conversation.takeEnds() {
            guard await event(.sessionEnded(end)) else { return false }
        }
        if let state, state != shown.state {
            shown.state = state
            watched[box.id]?.triesLeft = state.pinAttemptsLeft.map(Int.init)
            guard await event(.state(state)) else { return false }
        }
        if conversation.offer != shown.offer {
            shown.offer = conversation.offer
            guard await event(.offer(conversation.offer)) else { return false }
        }
        if conversation.warning != shown.warning {
            shown.warning = conversation.warning
            guard await event(.warning(conversation.warning)) else { return false }
        }
        guard conversation.elevation != shown.elevation else { return true }
        shown.elevation = conversation.elevation
        return await event(.elevation(conversation.elevation))
    }

    /// Hands on what the box pushes until a time, reports meanwhile, and does what is tapped; false when nobody watches any
    /// more.
    private func pushes(
        _ connected: ConnectedBox, _ conversation: inout ChannelConversation, until deadline: Duration,
        _ shown: inout Shown, _ event: @Sendable (WatchEvent) async -> Bool
    ) async throws(PhoneError) -> Bool {
        let box = connected.box
        while true {
            if let tap = taps[box.id]?.takeFirst() {
                let (asked, told) = try await carryOut(tap, connected, &conversation)
                guard await event(told) else { return false }
                guard await show(asked.state, &conversation, box, &shown, event) else { return false }
                continue
            }
            let next = min(deadline, try await reportIfDue(connected, &conversation))
            switch await receive(on: connected.channel, box, until: next) {
            case .timedOut where next < deadline: continue
            case .timedOut: return true
            // Somebody tapped.
            case .cancelled where !Task.isCancelled: continue
            case .cancelled: throw .cancelled
            case .ended: throw .linkLost(boxID: box.digits)
            case .unintelligible: throw .nonsense(boxID: box.digits)
            case .message(let message):
                var state: BoxState?
                switch conversation.sort(message, current: nil) {
                case .state(let told): state = told
                case .accountProblem(let problem):
                    guard await event(.accountProblem(problem)) else { return false }
                case .revoked: _ = try await settle(.revoked, connected.box)
                case .late, .kept: break
                case .agreed, .answer, .versionRefused, .nonsense: throw .nonsense(boxID: box.digits)
                }
                guard await show(state, &conversation, box, &shown, event) else { return false }
            }
        }
    }

    /// The next message; a tap ends the waiting.
    private func receive(
        on channel: BoxChannel, _ box: KnownBox, until deadline: Duration
    ) async -> BoxChannel.Incoming {
        guard taps[box.id]?.isEmpty ?? true else { return Task.isCancelled ? .cancelled : .timedOut }
        let waiting = start { await channel.receive(until: deadline) }
        watching[box.id] = waiting
        defer { watching[box.id] = nil }
        return await withTaskCancellationHandler {
            await waiting.value
        } onCancel: {
            waiting.cancel()
        }
    }

    /// The person tapped while `watch` runs: it is asked for on the channel that is open, which is the only one that a
    /// connection over Bluetooth has. The watcher hears what came of it.
    public func tap(_ act: SessionAct, at target: BoxTarget) {
        enqueue(.act(act), at: target.candidates.first { taps[$0.id] != nil })
    }

    /// What is queued waits for this very box, whatever else shows its digits: it may carry a password.
    func enqueue(_ tap: WatchTap, at box: KnownBox?) {
        guard let box, let waiting = taps[box.id]?.count, waiting < limits.waitingTaps else { return }
        taps[box.id]?.append(tap)
        watching[box.id]?.cancel()
    }

    /// The channel to whichever box of the target is watched now.
    func watchedChannel(_ target: BoxTarget) -> WatchedChannel? {
        target.candidates.lazy.compactMap { self.watched[$0.id] }.first
    }

    /// What the box answered, and what the watcher is to hear of it.
    private func carryOut(
        _ tap: WatchTap, _ connected: ConnectedBox, _ conversation: inout ChannelConversation
    ) async throws(PhoneError) -> (Answer, WatchEvent) {
        switch tap {
        case .act(let act):
            let asked = try await self.act(act, connected, &conversation)
            return (asked, .acted(act, asked.outcome))
        case .logIn(let request):
            let shown = watched[connected.box.id]?.interaction ?? PhoneInteraction()
            let asked = try await ask(request, .login, connected, &conversation, shown)
            return (asked, .loggedIn(asked.outcome))
        case .allow(let request):
            let asked = try await ask(request, .login, connected, &conversation)
            return (asked, .answered(allowed: true, asked.outcome))
        case .decline(let id):
            let asked = try await ask(.declineElevation(id), .simple, connected, &conversation)
            return (asked, .answered(allowed: false, asked.outcome))
        }
    }

    /// Where the box is watched and takes reports: measures and reports once a second. The time of the next report.
    func reportIfDue(
        _ connected: ConnectedBox, _ conversation: inout ChannelConversation
    ) async throws(PhoneError) -> Duration {
        let box = connected.box
        guard let watched = watched[box.id], conversation.boxCapabilities.contains(.presence) else { return Self.never }
        let now = clock.now()
        if let last = watched.lastReport, now < last + limits.report { return last + limits.report }
        let measured = await connected.link.signalStrength().map {
            min(max($0, SignalRules.dBm.lowerBound), SignalRules.dBm.upperBound)
        }
        for message in conversation.open(.reportSignal(dBm: measured)).messages {
            guard await connected.channel.send(message) else { throw .linkLost(boxID: box.digits) }
        }
        // From when it has left: on a link that stalls no reports pile up.
        let sent = clock.now()
        self.watched[box.id]?.lastReport = sent
        return sent + limits.report
    }

    private static let never: Duration = .seconds(Int64.max)
}

/// The channel to the box that is watched under some digits.
struct WatchedChannel: Sendable {
    let box: KnownBox
    let interaction: PhoneInteraction
    /// PIN attempts for what it holds, as it told last.
    var triesLeft: Int?
    var lastReport: Duration?
}

/// What the person asked for while the phone watches.
enum WatchTap: Sendable {
    case act(SessionAct)
    /// With the credential, or what opens it on the box.
    case logIn(PhoneRequest)
    case allow(PhoneRequest)
    case decline(ElevationID)
}

extension [WatchTap] {
    fileprivate mutating func takeFirst() -> WatchTap? { isEmpty ? nil : removeFirst() }
}
