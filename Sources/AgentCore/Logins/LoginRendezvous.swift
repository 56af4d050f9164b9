import PAMProtocol
import Names
import PhoneMessages
import Secrets
import VaultPort

/// A program that authenticates somebody: one connection of the PAM module, or `boxagent test-login`.
package struct ProgramID: Hashable, Sendable {
    package let number: UInt64

    package init(number: UInt64) {
        self.number = number
    }
}

/// One tap on a phone: the request it came in, on the channel it came through.
package struct TapID: Hashable, Sendable {
    package let channel: ChannelID
    package let request: RequestID

    package init(channel: ChannelID, request: RequestID) {
        self.channel = channel
        self.request = request
    }
}

/// A tap with its credential, which is held for one use and a bounded time.
package struct Tap: Sendable {
    package let id: TapID
    package let device: DeviceID
    /// The user of the device record, never one named in a message.
    package let user: [UInt8]
    package let credential: HeldSecret
    /// When the phone asked.
    package let tappedAt: Duration

    package init(id: TapID, device: DeviceID, user: [UInt8], credential: HeldSecret, tappedAt: Duration) {
        self.id = id
        self.device = device
        self.user = user
        self.credential = credential
        self.tappedAt = tappedAt
    }
}

/// Where PAM asks and the phone answers (docs/decisions/015-login-rendezvous.md).
///
/// A pure state machine: the agent performs its actions. A tap serves exactly one program; a credential waits
/// at most `holdTime` for a program, and is let go of with the action that hands it over. Each user has at most one tap
/// that waits, and keeps nobody else's from being taken or served. A program that names no user is given the tap that has
/// waited longest, so that nobody gets ahead by tapping again.
package struct LoginRendezvous: Sendable {
    package enum Event: Sendable {
        /// A program whose caller and service policy allows; `takeOnly` never waits.
        case programAsks(ProgramID, user: [UInt8]?, takeOnly: Bool, until: Duration)
        /// A program that asks for `user`, nil for anybody, is not at a place that the box serves.
        case programRefused(user: [UInt8]?)
        case programLeft(ProgramID)
        case tap(Tap)
        /// The person took the tap back, or the phone went away before a program came.
        case tapWithdrawn(TapID)
        case deviceRevoked(DeviceID)
        case timer
    }

    package enum Action: Sendable {
        case tellWaiting(ProgramID)
        case deliver(ProgramID, Tap)
        case refuse(ProgramID, UnavailableReason)
        case tellPhone(TapID, LoginProgress)
        case answerPhone(TapID, ResultCode)
    }

    /// Programs that wait at once; the next one is told that the agent is busy.
    package static let programLimit = 64
    /// Users whose taps wait at once; the next one is told that the box is busy.
    package static let heldLimit = 16

    private struct WaitingProgram {
        let id: ProgramID
        let user: [UInt8]?
        let until: Duration
    }

    private struct HeldTap {
        let tap: Tap
        let until: Duration
        /// A greeter is starting a login for it; another one must not.
        var isClaimed = false
        /// The answer when nobody takes it in time: who asked meanwhile.
        var end = ResultCode.timedOut

        /// A program asked that does not get this tap.
        mutating func isPassedOver(for user: [UInt8]?) {
            if let user, user != tap.user {
                // A prompt of the person's own says more.
                if end == .timedOut { end = .otherUserAsked }
            } else {
                end = .promptNotServed
            }
        }
    }

    /// How long a credential waits for a program, at most 30 s.
    package var holdTime: Duration
    private var programs: [WaitingProgram] = []
    /// The longest waiting first, one for a user.
    private var held: [HeldTap] = []

    package init(holdTime: Duration) {
        self.holdTime = holdTime
    }

    package var waitingPrograms: Int { programs.count }
    package var waiting: [ProgramID] { programs.map(\.id) }
    package var holdsCredential: Bool { !held.isEmpty }

    /// Taps whose credentials wait for a program.
    package func heldTaps(where isMeant: (Tap) -> Bool) -> [TapID] {
        held.map(\.tap).filter(isMeant).map(\.id)
    }

    /// The first user whose tap waits for a program, and for a greeter to start one.
    package var unclaimedUser: [UInt8]? {
        held.first { !$0.isClaimed }?.tap.user
    }

    /// A greeter starts a login of `user`. True for the first that says so: two screens never both start one.
    package mutating func claimTap(of user: [UInt8], now: Duration) -> Bool {
        guard let index = held.firstIndex(where: { $0.tap.user == user }), !held[index].isClaimed,
            held[index].until > now
        else { return false }
        held[index].isClaimed = true
        return true
    }

    /// When `timer` is due.
    package var deadline: Duration? {
        (programs.map(\.until) + held.map(\.until)).min()
    }

    package mutating func handle(_ event: Event, now: Duration) -> [Action] {
        switch event {
        case .programAsks(let id, let user, let takeOnly, let until):
            return expire(now) + programAsks(id, user: user, takeOnly: takeOnly, until: until)
        case .programRefused(let user):
            for index in held.indices { held[index].isPassedOver(for: user) }
            return []
        case .programLeft(let id):
            programs.removeAll { $0.id == id }
            return []
        case .tap(let tap):
            return expire(now) + take(tap, now: now)
        case .tapWithdrawn(let id):
            guard let index = held.firstIndex(where: { $0.tap.id == id }) else { return [] }
            held.remove(at: index)
            return [.answerPhone(id, .cancelled)]
        case .deviceRevoked(let device):
            // It hears `revoked` on its channel, and no result of what it asked before.
            held.removeAll { $0.tap.device == device }
            return []
        case .timer:
            return expire(now)
        }
    }

    /// Ends everything: the agent stops.
    package mutating func stop() -> [Action] {
        let actions =
            programs.map { Action.refuse($0.id, .agentFault) }
            + held.map { Action.answerPhone($0.tap.id, .boxFault) }
        programs = []
        held = []
        return actions
    }

    private mutating func programAsks(
        _ id: ProgramID, user: [UInt8]?, takeOnly: Bool, until: Duration
    ) -> [Action] {
        if let index = index(servedTo: user) {
            let tap = held.remove(at: index).tap
            return [.deliver(id, tap), .tellPhone(tap.id, .delivered)]
        }
        // Each tap is of another user than the one asked for.
        for index in held.indices { held[index].isPassedOver(for: user) }
        if takeOnly { return [.refuse(id, .noTap)] }
        guard programs.count < Self.programLimit else { return [.refuse(id, .busy)] }
        programs.append(WaitingProgram(id: id, user: user, until: until))
        return [.tellWaiting(id)]
    }

    /// The tap that a program gets which asks for `user`, nil for anybody.
    private func index(servedTo user: [UInt8]?) -> Int? {
        if let user { return held.firstIndex { $0.tap.user == user } }
        // One that a greeter has claimed is for the program that it starts, which names its user as a rule.
        return held.firstIndex { !$0.isClaimed } ?? held.indices.first
    }

    private mutating func take(_ tap: Tap, now: Duration) -> [Action] {
        var actions: [Action] = []
        // The person taps again, perhaps on another phone: the newest tap is the one that is meant.
        if let older = held.firstIndex(where: { $0.tap.user == tap.user }) {
            actions.append(.answerPhone(held.remove(at: older).tap.id, .cancelled))
        }
        let eligible = programs.filter { $0.user == nil || $0.user == tap.user }
        switch eligible.count {
        case 0:
            guard held.count < Self.heldLimit else { return actions + [.answerPhone(tap.id, .busy)] }
            held.append(HeldTap(tap: tap, until: now + holdTime))
            // They ask for other users.
            if !programs.isEmpty { held[held.count - 1].end = .otherUserAsked }
            return actions + [.tellPhone(tap.id, .waitingForPrompt)]
        case 1:
            let program = eligible[0].id
            programs.removeAll { $0.id == program }
            return actions + [.deliver(program, tap), .tellPhone(tap.id, .delivered)]
        default:
            // Nobody can tell which screen the person stands at: neither gets it
            // (docs/decisions/015-login-rendezvous.md).
            programs.removeAll { program in eligible.contains { $0.id == program.id } }
            return actions + eligible.map { .refuse($0.id, .busy) } + [.answerPhone(tap.id, .busy)]
        }
    }

    private mutating func expire(_ now: Duration) -> [Action] {
        var actions = programs.filter { $0.until <= now }.map { Action.refuse($0.id, .noTap) }
        programs.removeAll { $0.until <= now }
        actions += held.filter { $0.until <= now }.map { .answerPhone($0.tap.id, $0.end) }
        held.removeAll { $0.until <= now }
        return actions
    }
}
