import PAMProtocol
import Names
import PhoneMessages
import Secrets
import VaultPort

/// A program that authenticates a user: one connection of the PAM module, or `boxagent test-login`.
package struct ProgramID: Hashable, Sendable {
    package let number: UInt64

    package init(number: UInt64) {
        self.number = number
    }
}

/// One tap on a phone: its request and its channel.
package struct TapID: Hashable, Sendable {
    package let channel: ChannelID
    package let request: RequestID

    package init(channel: ChannelID, request: RequestID) {
        self.channel = channel
        self.request = request
    }
}

/// A tap with its credential, kept for one use and a bounded time.
package struct Tap: Sendable {
    package let id: TapID
    package let device: DeviceID
    /// The user of the device record, never one named in a message.
    package let user: [UInt8]
    package let credential: HeldSecret
    /// The time of the phone's request.
    package let tappedAt: Duration

    package init(id: TapID, device: DeviceID, user: [UInt8], credential: HeldSecret, tappedAt: Duration) {
        self.id = id
        self.device = device
        self.user = user
        self.credential = credential
        self.tappedAt = tappedAt
    }
}

/// Matches programs that ask with taps that answer (docs/decisions/015-login-rendezvous.md).
///
/// A pure state machine whose actions the agent performs. A tap serves exactly one program. A credential waits at most
/// `holdTime`, and is released with the action that hands it over. Each user has at most one waiting tap, which never
/// blocks another user's tap. A program that names no user gets the tap that has waited longest: tapping again gains
/// nothing.
package struct LoginRendezvous: Sendable {
    package enum Event: Sendable {
        /// A program that the policy allows by caller and service. With `takeOnly` it never waits.
        case programAsks(ProgramID, user: [UInt8]?, takeOnly: Bool, until: Duration)
        /// A program asks for `user`, or for any user if nil, from a place that the box does not serve.
        case programRefused(user: [UInt8]?)
        case programLeft(ProgramID)
        case tap(Tap)
        /// The user withdrew the tap, or the phone left before a program came.
        case tapWithdrawn(TapID, as: ResultCode = .cancelled)
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

    /// The most programs that wait at once. The next program is told that the agent is busy.
    package static let programLimit = 64
    /// The most users whose taps wait at once. The next phone is told that the box is busy.
    package static let heldLimit = 16

    private struct WaitingProgram {
        let id: ProgramID
        let user: [UInt8]?
        let until: Duration
    }

    private struct HeldTap {
        let tap: Tap
        let until: Duration
        /// True once a greeter starts a login for this tap. Then no other greeter may start one.
        var isClaimed = false
        /// The answer if no program takes the tap in time. It depends on the programs that asked meanwhile.
        var end = ResultCode.timedOut

        /// Notes that a program has asked, but does not get this tap.
        mutating func isPassedOver(for user: [UInt8]?) {
            if let user, user != tap.user {
                // A result about a prompt for the tap's own user is more precise, so keep it.
                if end == .timedOut { end = .otherUserAsked }
            } else {
                end = .promptNotServed
            }
        }
    }

    /// The time that a credential waits for a program, at most 30 s.
    package var holdTime: Duration
    private var programs: [WaitingProgram] = []
    /// The waiting taps, one for each user. The oldest comes first.
    private var held: [HeldTap] = []

    package init(holdTime: Duration) {
        self.holdTime = holdTime
    }

    package var waitingPrograms: Int { programs.count }
    package var waiting: [ProgramID] { programs.map(\.id) }
    package var holdsCredential: Bool { !held.isEmpty }

    /// Returns the taps whose credentials wait for a program.
    package func heldTaps(where isMeant: (Tap) -> Bool) -> [TapID] {
        held.map(\.tap).filter(isMeant).map(\.id)
    }

    /// The first user whose tap waits for a program and is not claimed by a greeter.
    package var unclaimedUser: [UInt8]? {
        held.first { !$0.isClaimed }?.tap.user
    }

    /// Lets a greeter start a login of `user`. Returns true only for the first greeter, so that one screen starts it.
    package mutating func claimTap(of user: [UInt8], now: Duration) -> Bool {
        guard let index = held.firstIndex(where: { $0.tap.user == user }), !held[index].isClaimed,
            held[index].until > now
        else { return false }
        held[index].isClaimed = true
        return true
    }

    /// The time at which `timer` is due.
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
        case .tapWithdrawn(let id, let code):
            guard let index = held.firstIndex(where: { $0.tap.id == id }) else { return [] }
            held.remove(at: index)
            return [.answerPhone(id, code)]
        case .deviceRevoked(let device):
            // Do not answer the tap: the phone hears only `revoked` on its channel.
            held.removeAll { $0.tap.device == device }
            return []
        case .timer:
            return expire(now)
        }
    }

    /// Ends all waiting, because the agent stops.
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
        // Every held tap belongs to a user other than the requested one.
        for index in held.indices { held[index].isPassedOver(for: user) }
        if takeOnly { return [.refuse(id, .noTap)] }
        guard programs.count < Self.programLimit else { return [.refuse(id, .busy)] }
        programs.append(WaitingProgram(id: id, user: user, until: until))
        return [.tellWaiting(id)]
    }

    /// Returns the tap for a program that asks for `user`, or for any user if nil.
    private func index(servedTo user: [UInt8]?) -> Int? {
        if let user { return held.firstIndex { $0.tap.user == user } }
        // A claimed tap is for the program that the greeter starts, which normally names its user.
        return held.firstIndex { !$0.isClaimed } ?? held.indices.first
    }

    private mutating func take(_ tap: Tap, now: Duration) -> [Action] {
        var actions: [Action] = []
        // The user taps again, perhaps on another phone. The newest tap counts.
        if let older = held.firstIndex(where: { $0.tap.user == tap.user }) {
            actions.append(.answerPhone(held.remove(at: older).tap.id, .cancelled))
        }
        let eligible = programs.filter { $0.user == nil || $0.user == tap.user }
        switch eligible.count {
        case 0:
            guard held.count < Self.heldLimit else { return actions + [.answerPhone(tap.id, .busy)] }
            held.append(HeldTap(tap: tap, until: now + holdTime))
            // The waiting programs ask for other users.
            if !programs.isEmpty { held[held.count - 1].end = .otherUserAsked }
            return actions + [.tellPhone(tap.id, .waitingForPrompt)]
        case 1:
            let program = eligible[0].id
            programs.removeAll { $0.id == program }
            return actions + [.deliver(program, tap), .tellPhone(tap.id, .delivered)]
        default:
            // It is unknown at which screen the user stands, so none of these programs gets the credential
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
