#if hasFeature(Embedded)
    import PAMProtocolEmbedded
#else
    import PAMProtocol
#endif

/// How long one pam_authenticate waits for the agent, and for what. Pure: the shell gives it replies and the time
/// (CLOCK_MONOTONIC), and does what it says.
///
/// The agent has `firstAnswer` to say anything. Only after it has said that it waits for a tap may the program be
/// held up longer, to the end of the line's `wait=`, and only while the agent gives a sign of life each second.
public struct LoginWait: Sendable {
    /// A little under the second that is promised, for the calls around it.
    public static let firstAnswer: Duration = .milliseconds(950)
    /// Two signs of life missed: the third is half a second away.
    public static let silence: Duration = .milliseconds(2_500)

    public enum Event: Sendable {
        case reply(PAMReply)
        /// The message could not be read: not ours, or too large.
        case garbled
        /// The agent closed the connection.
        case closed
        /// `deadline` may have passed.
        case timer
    }

    public enum Action: Equatable, Sendable {
        case keepWaiting
        /// The first sign that the agent waits: the moment to tell the person.
        case prompt(boxID: [UInt8], isAsking: Bool)
        case deliver(user: [UInt8], authtok: Range<Int>)
        case giveUp(LoginWaitEnd)
    }

    /// When to come back with `.timer`, if nothing else happens before.
    public private(set) var deadline: Duration
    private let waitUntil: Duration
    private let mayWait: Bool
    private var hasAgentWaited = false
    /// An agent that talks without end would hold the program by work instead of by silence.
    private var messagesLeft: UInt64

    public init(startedAt now: Duration, waitSeconds: UInt64) {
        let seconds = min(waitSeconds, PAMLimits.waitSeconds)
        mayWait = seconds > 0
        waitUntil = now + .seconds(Int64(truncatingIfNeeded: seconds))
        deadline = now + Self.firstAnswer
        messagesLeft = 8 &+ 2 &* seconds
    }

    public mutating func handle(_ event: Event, now: Duration) -> Action {
        switch event {
        case .garbled: return .giveUp(.garbled)
        case .closed: return .giveUp(.closed)
        case .timer:
            guard now >= deadline else { return .keepWaiting }
            guard hasAgentWaited else { return .giveUp(.agentSilent) }
            return .giveUp(deadline >= waitUntil ? .noTap : .heartbeatStopped)
        case .reply(let reply):
            guard messagesLeft > 0 else { return .giveUp(.flooded) }
            messagesLeft &-= 1
            return handle(reply, now: now)
        }
    }

    private mutating func handle(_ reply: PAMReply, now: Duration) -> Action {
        switch reply {
        case .credential(let user, let authtok): return .deliver(user: user, authtok: authtok)
        case .unavailable(let reason): return .giveUp(.unavailable(reason))
        case .noted: return .giveUp(.garbled)
        case .waiting(let boxID): return agentWaits(boxID, isAsking: false, now: now)
        case .asking(let boxID): return agentWaits(boxID, isAsking: true, now: now)
        }
    }

    private mutating func agentWaits(_ boxID: [UInt8], isAsking: Bool, now: Duration) -> Action {
        // With wait=0 nobody asked for patience: the first deadline stays.
        guard mayWait else { return .keepWaiting }
        let first = !hasAgentWaited
        hasAgentWaited = true
        deadline = min(waitUntil, now + Self.silence)
        return first ? .prompt(boxID: boxID, isAsking: isAsking) : .keepWaiting
    }
}
