import PAMProtocol
import PhoneMessages

/// Where programs such as sudo ask for a password that the user's phone has to allow, one by one
/// (docs/decisions/017-elevation.md).
///
/// A pure state machine: the agent performs its actions. Unlike a login, nothing is kept for a program that comes later: an
/// answer names the request that the person was shown, and serves that or nothing.
package struct ElevationRendezvous: Sendable {
    /// What a program asks, with what the person is to be shown of it.
    package struct Ask: Sendable {
        package let program: ProgramID
        /// Whose password it is.
        package let user: [UInt8]
        package let service: [UInt8]
        package let terminal: [UInt8]
        package let requester: [UInt8]
        package let until: Duration

        package init(
            program: ProgramID, user: [UInt8], service: [UInt8], terminal: [UInt8], requester: [UInt8],
            until: Duration
        ) {
            self.program = program
            self.user = user
            self.service = service
            self.terminal = terminal
            self.requester = requester
            self.until = until
        }

        /// Where it was asked for: for the audit log.
        package var place: String {
            let at = terminal.isEmpty ? "" : " on " + LogText.text(terminal)
            return "\(LogText.text(service))\(at), in a session of \(LogText.text(requester))"
        }
    }

    package enum Event: Sendable {
        case asked(Ask)
        case programLeft(ProgramID)
        /// A phone of the user that shows requests.
        case phoneCame(ChannelID, user: [UInt8])
        case phoneLeft(ChannelID)
        case allowed(ElevationID, Tap)
        /// A phone allows the request, but its program has left the place that the phone showed.
        case misplaced(ElevationID, Tap)
        case declined(ElevationID, user: [UInt8])
        /// What was delivered was not the password.
        case wrong(user: [UInt8])
        case timer
    }

    package enum Action: Sendable {
        case tellAsking(ProgramID)
        case refuse(ProgramID, UnavailableReason)
        case deliver(Ask, Tap)
        case show(ElevationPrompt, on: ChannelID)
        case over(ElevationID, on: ChannelID)
        case tellDelivered(TapID)
        case answer(TapID, ResultCode)
    }

    /// Users that are asked, or let be, at once.
    package static let userLimit = 32
    /// After a request that was declined, unanswered or answered wrongly: whoever has a shell could else make the phone
    /// ring until its owner gives in.
    package static let quietTime: Duration = .seconds(30)

    private struct Pending {
        let id: ElevationID
        let ask: Ask
    }

    private var pending: [Pending] = []
    private var phones: [ChannelID: [UInt8]] = [:]
    /// Users who are not asked again before that time.
    private var quiet: [[UInt8]: Duration] = [:]
    private var nextID: UInt32 = 1

    package init() {}

    /// When `timer` is due.
    package var deadline: Duration? { pending.map(\.ask.until).min() }

    /// Whether the request can still be answered by a phone of that user.
    package func isOpen(_ id: ElevationID, user: [UInt8]) -> Bool { find(id, user) != nil }
    /// The program whose request a phone of that user can still answer.
    package func program(of id: ElevationID, user: [UInt8]) -> ProgramID? { find(id, user)?.ask.program }

    package mutating func handle(_ event: Event, now: Duration) -> [Action] {
        quiet = quiet.filter { $0.value > now }
        switch event {
        case .asked(let ask): return expire(now) + asked(ask, now: now)
        case .programLeft(let program):
            return pending.filter { $0.ask.program == program }.flatMap { end($0, nil) }
        case .phoneCame(let channel, let user):
            guard phones.updateValue(user, forKey: channel) == nil else { return [] }
            return pending.filter { $0.ask.user == user }.map { .show(prompt($0, now: now), on: channel) }
        case .phoneLeft(let channel): return phoneLeft(channel)
        case .allowed(let id, let tap): return expire(now) + allowed(id, tap)
        case .misplaced(let id, let tap):
            return expire(now) + (find(id, tap.user).map { end($0, .notAtSeat) } ?? []) + [.answer(tap.id, .timedOut)]
        case .declined(let id, let user):
            guard let declined = find(id, user) else { return expire(now) }
            beQuiet(user, now: now)
            return end(declined, .declined)
        case .wrong(let user):
            beQuiet(user, now: now)
            return []
        case .timer: return expire(now)
        }
    }

    /// Ends everything: the agent stops.
    package mutating func stop() -> [Action] {
        pending.flatMap { end($0, .agentFault) }
    }

    private mutating func asked(_ ask: Ask, now: Duration) -> [Action] {
        guard phones.values.contains(ask.user) else { return [.refuse(ask.program, .noPhone)] }
        // One at a time: a person who sees two could allow the wrong one.
        guard quiet[ask.user] == nil, !pending.contains(where: { $0.ask.user == ask.user }),
            pending.count + quiet.count < Self.userLimit, let id = ElevationID(rawValue: nextID)
        else { return [.refuse(ask.program, .busy)] }
        // Ids that have run out are not used again: after 0 nobody is asked any more until the agent starts anew.
        nextID &+= 1
        let new = Pending(id: id, ask: ask)
        pending.append(new)
        let shown = channels(of: ask.user)
        return [.tellAsking(ask.program)] + shown.map { .show(prompt(new, now: now), on: $0) }
    }

    private mutating func allowed(_ id: ElevationID, _ tap: Tap) -> [Action] {
        guard let answered = find(id, tap.user) else { return [.answer(tap.id, .timedOut)] }
        return end(answered, nil) + [.deliver(answered.ask, tap), .tellDelivered(tap.id)]
    }

    private mutating func phoneLeft(_ channel: ChannelID) -> [Action] {
        guard let user = phones.removeValue(forKey: channel), !phones.values.contains(user) else { return [] }
        // Nobody is left who could answer: the program need not wait.
        return pending.filter { $0.ask.user == user }.flatMap { end($0, .noPhone) }
    }

    private mutating func expire(_ now: Duration) -> [Action] {
        let expired = pending.filter { $0.ask.until <= now }
        for request in expired { beQuiet(request.ask.user, now: now) }
        return expired.flatMap { end($0, .noTap) }
    }

    private mutating func end(_ ended: Pending, _ reason: UnavailableReason?) -> [Action] {
        pending.removeAll { $0.id == ended.id }
        let told = channels(of: ended.ask.user)
        return told.map { .over(ended.id, on: $0) } + (reason.map { [.refuse(ended.ask.program, $0)] } ?? [])
    }

    /// The oldest first.
    private func channels(of user: [UInt8]) -> [ChannelID] {
        phones.filter { $0.value == user }.keys.sorted { $0.number < $1.number }
    }

    private mutating func beQuiet(_ user: [UInt8], now: Duration) {
        quiet[user] = now + Self.quietTime
    }

    private func find(_ id: ElevationID, _ user: [UInt8]) -> Pending? {
        pending.first { $0.id == id && $0.ask.user == user }
    }

    private func prompt(_ pending: Pending, now: Duration) -> ElevationPrompt {
        let left = max(.zero, pending.ask.until - now).components.seconds
        return ElevationPrompt(
            id: pending.id, service: pending.ask.service, terminal: pending.ask.terminal,
            requester: pending.ask.requester, seconds: UInt32(clamping: left))
    }
}
