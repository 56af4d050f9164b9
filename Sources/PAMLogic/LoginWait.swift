#if hasFeature(Embedded)
    import PAMProtocolEmbedded
#else
    import PAMProtocol
#endif

/// Decides how long one pam_authenticate waits for the agent. Pure: the caller passes replies and the time
/// (CLOCK_MONOTONIC), and performs the actions.
///
/// The agent must answer within `firstAnswer`. After it says that it waits for a tap, the program waits until the end
/// of the line's `wait=`. The agent must send a heartbeat each second meanwhile.
public struct LoginWait: Sendable {
    /// A little less than the promised second, to leave time for the calls before and after the wait.
    public static let firstAnswer: Duration = .milliseconds(950)
    /// The time after which two heartbeats are missing. The third would come half a second later.
    public static let silence: Duration = .milliseconds(2_500)

    public enum Event: Sendable {
        case reply(PAMReply)
        /// The message is unreadable or too large.
        case garbled
        /// The agent closed the connection.
        case closed
        /// `deadline` may have passed.
        case timer
    }

    public enum Action: Equatable, Sendable {
        case keepWaiting
        /// The first message that the agent waits, so the user can be told.
        case prompt(boxID: [UInt8], isAsking: Bool)
        case deliver(user: [UInt8], authtok: Range<Int>)
        case giveUp(LoginWaitEnd)
    }

    /// The time for the next `.timer`, if no other event comes first.
    public private(set) var deadline: Duration
    private let waitUntil: Duration
    private let mayWait: Bool
    private var hasAgentWaited = false
    /// Limits messages, so that an agent that sends without end cannot hold the program.
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
        // With wait=0 the first deadline stays, because the program must not wait.
        guard mayWait else { return .keepWaiting }
        let first = !hasAgentWaited
        hasAgentWaited = true
        deadline = min(waitUntil, now + Self.silence)
        return first ? .prompt(boxID: boxID, isAsking: isAsking) : .keepWaiting
    }
}
