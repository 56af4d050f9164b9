import AgentProtocol
import PhoneMessages
import Secrets
import Vault

/// A program that authenticates somebody: one connection of the PAM module, or `boxagent test-login`.
struct ProgramID: Hashable, Sendable {
    let number: UInt64
}

/// One tap on a phone: the request it came in, on the channel it came through.
struct TapID: Hashable, Sendable {
    let channel: ChannelID
    let request: RequestID
}

/// A tap with its credential, which is held for one use and a bounded time.
struct Tap: Sendable {
    let id: TapID
    let device: DeviceID
    /// The user of the device record, never one named in a message.
    let user: [UInt8]
    let credential: HeldSecret
}

/// Where PAM asks and the phone answers (DESIGN section 8).
///
/// A pure state machine: the agent performs its actions. A tap serves exactly one program; a credential waits
/// at most `holdTime` for a program, and is let go of with the action that hands it over.
struct LoginRendezvous: Sendable {
    enum Event: Sendable {
        /// A program whose caller and service policy allows; `takeOnly` never waits.
        case programAsks(ProgramID, user: [UInt8]?, takeOnly: Bool, until: Duration)
        case programLeft(ProgramID)
        case tap(Tap)
        /// The person took the tap back, or the phone went away before a program came.
        case tapWithdrawn(TapID)
        case deviceRevoked(DeviceID)
        case timer
    }

    enum Action: Sendable {
        case tellWaiting(ProgramID)
        case deliver(ProgramID, Tap)
        case refuse(ProgramID, UnavailableReason)
        case tellPhone(TapID, LoginProgress)
        case answerPhone(TapID, ResultCode)
    }

    /// Programs that wait at once; the next one is told that the agent is busy.
    static let programLimit = 64

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
    }

    /// How long a credential waits for a program, at most 30 s.
    var holdTime: Duration
    private var programs: [WaitingProgram] = []
    private var held: HeldTap?

    init(holdTime: Duration) {
        self.holdTime = holdTime
    }

    var waitingPrograms: Int { programs.count }
    var holdsCredential: Bool { held != nil }
    /// The tap whose credential waits for a program.
    var heldTap: TapID? { held?.tap.id }
    /// The user whose tap waits for a program, and for a greeter to start one.
    var unclaimedUser: [UInt8]? {
        guard let held, !held.isClaimed else { return nil }
        return held.tap.user
    }

    /// A greeter starts a login of `user`. True for the first that says so: two screens never both start one.
    mutating func claimTap(of user: [UInt8], now: Duration) -> Bool {
        guard unclaimedUser == user, let until = held?.until, until > now else { return false }
        held?.isClaimed = true
        return true
    }

    /// When `timer` is due.
    var deadline: Duration? {
        let times = programs.map(\.until) + (held.map { [$0.until] } ?? [])
        return times.min()
    }

    mutating func handle(_ event: Event, now: Duration) -> [Action] {
        switch event {
        case .programAsks(let id, let user, let takeOnly, let until):
            return expire(now) + programAsks(id, user: user, takeOnly: takeOnly, until: until)
        case .programLeft(let id):
            programs.removeAll { $0.id == id }
            return []
        case .tap(let tap):
            return expire(now) + take(tap, now: now)
        case .tapWithdrawn(let id):
            guard let tap = held?.tap, tap.id == id else { return [] }
            held = nil
            return [.answerPhone(id, .cancelled)]
        case .deviceRevoked(let device):
            guard let tap = held?.tap, tap.device == device else { return [] }
            held = nil
            return [.answerPhone(tap.id, .revoked)]
        case .timer:
            return expire(now)
        }
    }

    /// Ends everything: the agent stops.
    mutating func stop() -> [Action] {
        var actions = programs.map { Action.refuse($0.id, .agentFault) }
        if let tap = held?.tap { actions.append(.answerPhone(tap.id, .boxFault)) }
        programs = []
        held = nil
        return actions
    }

    private mutating func programAsks(
        _ id: ProgramID, user: [UInt8]?, takeOnly: Bool, until: Duration
    ) -> [Action] {
        if let tap = held?.tap, user == nil || user == tap.user {
            held = nil
            return [.deliver(id, tap), .tellPhone(tap.id, .delivered)]
        }
        if takeOnly { return [.refuse(id, .noTap)] }
        guard programs.count < Self.programLimit else { return [.refuse(id, .busy)] }
        programs.append(WaitingProgram(id: id, user: user, until: until))
        return [.tellWaiting(id)]
    }

    private mutating func take(_ tap: Tap, now: Duration) -> [Action] {
        if let other = held?.tap, other.device != tap.device {
            return [.answerPhone(tap.id, .busy)]
        }
        var actions: [Action] = []
        if let older = held?.tap {
            actions.append(.answerPhone(older.id, .cancelled))
            held = nil
        }
        let eligible = programs.filter { $0.user == nil || $0.user == tap.user }
        switch eligible.count {
        case 0:
            held = HeldTap(tap: tap, until: now + holdTime)
            return actions + [.tellPhone(tap.id, .waitingForPrompt)]
        case 1:
            let program = eligible[0].id
            programs.removeAll { $0.id == program }
            return actions + [.deliver(program, tap), .tellPhone(tap.id, .delivered)]
        default:
            // Nobody can tell which screen the person stands at: neither gets it (DESIGN section 8).
            programs.removeAll { program in eligible.contains { $0.id == program.id } }
            return actions + eligible.map { .refuse($0.id, .busy) } + [.answerPhone(tap.id, .busy)]
        }
    }

    private mutating func expire(_ now: Duration) -> [Action] {
        var actions = programs.filter { $0.until <= now }.map { Action.refuse($0.id, .noTap) }
        programs.removeAll { $0.until <= now }
        if let expired = held, expired.until <= now {
            held = nil
            actions.append(.answerPhone(expired.tap.id, .timedOut))
        }
        return actions
    }
}
