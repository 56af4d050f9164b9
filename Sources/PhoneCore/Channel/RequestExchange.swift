import PhoneMessages
import VaultPort

/// One request on an authenticated channel, until its result.
///
/// Pure: a shell sends, receives and keeps the deadline.
final class RequestExchange {
    enum Event: Sendable {
        case delivery(ChannelConversation.Delivery)
        /// `deadline` has come.
        case timer
        /// The link or the channel has ended.
        case ended
    }

    enum Action: Sendable {
        case report(LoginProgress)
        case state(BoxState)
        case finish(RequestEnd)
    }

    private enum Phase: Sendable {
        case asked
        case answered
        case over
    }

    let kind: RequestKind
    private let limits: PhoneLimits
    private var phase = Phase.asked
    private var isAgreed: Bool
    /// True once a program has the password. Without a result, the outcome is then unknown.
    private var isDelivered = false
    /// True once the person has given up and the box was asked to cancel.
    private var isWithdrawn = false
    /// When to hand in `.timer`.
    private(set) var deadline: Duration

    init(_ kind: RequestKind, isAgreed: Bool, limits: PhoneLimits, now: Duration) {
        self.kind = kind
        self.limits = limits
        self.isAgreed = isAgreed
        deadline = now + (kind == .session ? limits.session : limits.firstAnswer)
    }

    /// Shortens the deadline to `PhoneLimits.withdrawal` after a cancellation. Returns false for a second cancellation.
    func withdraw(now: Duration) -> Bool {
        guard !isWithdrawn else { return false }
        isWithdrawn = true
        deadline = min(deadline, now + limits.withdrawal)
        return true
    }

    func handle(_ event: Event, now: Duration) -> [Action] {
        if case .over = phase { return [] }
        switch event {
        case .delivery(let delivery): return handle(delivery, now: now)
        case .timer where isWithdrawn, .ended where isWithdrawn: return finish(.notWithdrawn)
        case .timer where isDelivered, .ended where isDelivered:
            return finish(.outcome(.refused(.outcomeUnknown, .none)))
        case .timer: return finish(.silent)
        case .ended: return finish(isAgreed ? .lost : .closedUnanswered)
        }
    }

    private func handle(_ delivery: ChannelConversation.Delivery, now: Duration) -> [Action] {
        switch delivery {
        case .agreed:
            isAgreed = true
            return []
        case .late, .kept, .siteGrant: return []
        case .refusedGrant(.grantWanted): return finish(.grantWanted)
        case .refusedGrant(let code): return finish(.grantRefused(code))
        case .siteEntry(let entry): return finish(.takenBack(entry))
        case .versionRefused: return finish(.outcome(.refused(.protocolVersion, .none)))
        case .nonsense: return finish(.nonsense)
        case .revoked: return finish(.revoked)
        case .state(let state): return [.state(state)]
        case .answer(let message): return handle(answer: message, now: now)
        }
    }

    private func handle(answer message: BoxMessage, now: Duration) -> [Action] {
        switch message {
        case .progress(_, let progress):
            guard kind == .login else { return finish(.nonsense) }
            if progress != .waitingForPrompt { isDelivered = true }
            // Only the first answer extends the deadline, so that endless progress reports are still bounded.
            if phase == .asked {
                phase = .answered
                if !isWithdrawn { deadline = now + limits.verdict }
            }
            return [.report(progress)]
        case .result(_, .correct, _): return finish(.outcome(.done))
        case .result(_, .cancelled, _) where isWithdrawn: return finish(.cancelled)
        case .result(_, .revoked, _): return finish(.revoked)
        case .result(_, let code, let detail): return finish(.outcome(.refused(code, detail)))
        default: return finish(.nonsense)
        }
    }

    private func finish(_ end: RequestEnd) -> [Action] {
        phase = .over
        return [.finish(end)]
    }
}

/// The kind of answer that a request waits for.
enum RequestKind: Sendable, Equatable {
    /// A verdict, after progress reports.
    case login
    /// One result.
    case simple
    /// One result, after an act on the session.
    case session
}

/// The end of a request.
indirect enum RequestEnd: Sendable, Equatable {
    case outcome(RequestOutcome)
    /// The vault could not note the send, so the request did not leave the phone.
    case unsent(VaultError)
    /// The box did not answer in time.
    case silent
    /// The link ended although the box had accepted this phone.
    case lost
    /// The link ended before any reply, as for an unknown phone.
    case closedUnanswered
    /// The box sent a reply that the protocol does not allow.
    case nonsense
    /// The box has revoked this phone.
    case revoked
    /// The person gave up. The box has cancelled the login, or the request was not a login.
    case cancelled
    /// The person gave up, and the box did not report the login's outcome. A program may have the password.
    case notWithdrawn
    /// The box does not know the grant by its hash, and has ignored the request that followed hello.
    case grantWanted
    /// The box refuses this phone's grant.
    case grantRefused(HelloRefusal)
    /// The phone's site has revoked the grant by this signed entry.
    case takenBack([UInt8])
}
