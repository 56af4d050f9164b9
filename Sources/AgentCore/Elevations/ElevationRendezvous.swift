import PAMProtocol
import PhoneMessages

/// Requests of programs such as sudo for a password, which a phone allows one by one (docs/decisions/017-elevation.md).
///
/// A pure state machine whose actions the agent performs. Unlike a login, nothing is kept for a later program. An
/// answer names the request that the user was shown, and serves only that request.
package struct ElevationRendezvous: Sendable {
    /// A program's request, with the details that the user is shown.
    package struct Ask: Sendable {
        package let program: ProgramID
        /// The user whose password is requested.
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

        /// The origin of the request, for the audit log.
        package var place: String {
            let at = terminal.isEmpty ? "" : " on " + LogText.text(terminal)
            return "\(LogText.text(service))\(at), in a session of \(LogText.text(requester))"
        }
    }

    package enum Event: Sendable {
        case asked(Ask)
        case programLeft(ProgramID)
        /// A connected phone of this user can show requests.
        case phoneCame(ChannelID, user: [UInt8])
        case phoneLeft(ChannelID)
        case allowed(ElevationID, Tap)
        /// A phone allows the request, but the program has left the place that the phone showed.
        case misplaced(ElevationID, Tap)
        case declined(ElevationID, user: [UInt8])
        /// The delivered secret was not the password.
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

    /// The most users that are being asked, or are in their quiet time, at once.
    package static let userLimit = 32
    /// The pause after a request that was declined, unanswered or answered wrongly. Without it, an attacker with a
    /// shell could make the phone ring until its owner gives in.
    package static let quietTime: Duration = .seconds(30)

    private struct Pending {
        let id: ElevationID
        let ask: Ask
    }

    private var pending: [Pending] = []
    private var phones: [ChannelID: [UInt8]] = [:]
    /// The time before which each user is not asked again.
    private var quiet: [[UInt8]: Duration] = [:]
    private var nextID: UInt32 = 1

    package init() {}

    /// The time at which `timer` is due.
    package var deadline: Duration? { pending.map(\.ask.until).min() }

    /// Returns whether a phone of that user can still answer the request.
    package func isOpen(_ id: ElevationID, user: [UInt8]) -> Bool { find(id, user) != nil }
    /// Returns the program whose request a phone of that user can still answer.
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

    /// Ends all requests, because the agent stops.
    package mutating func stop() -> [Action] {
        pending.flatMap { end($0, .agentFault) }
    }

    private mutating func asked(_ ask: Ask, now: Duration) -> [Action] {
        guard phones.values.contains(ask.user) else { return [.refuse(ask.program, .noPhone)] }
        // One request at a time: a user who sees two could allow the wrong one.
        guard quiet[ask.user] == nil, !pending.contains(where: { $0.ask.user == ask.user }),
            pending.count + quiet.count < Self.userLimit, let id = ElevationID(rawValue: nextID)
        else { return [.refuse(ask.program, .busy)] }
        // IDs are not reused. After they wrap to 0, requests are refused until the agent restarts.
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
        // No phone is left that could answer, so the program need not wait.
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

    /// Returns the user's channels, the oldest first.
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
