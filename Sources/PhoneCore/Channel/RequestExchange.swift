import PhoneMessages

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
    /// The person has given up, and the box was asked to cancel.
    private var isWithdrawn = false
    /// When to hand in `.timer`.
    private(set) var deadline: Duration

    init(_ kind: RequestKind, isAgreed: Bool, limits: PhoneLimits, now: Duration) {
        self.kind = kind
        self.limits = limits
        self.isAgreed = isAgreed
        deadline = now + (kind == .session ? limits.session : limits.firstAnswer)
    }

    /// Waits for what the box says of a login that its person gives up, for `PhoneLimits.withdrawal` at most. False: it does so already.
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
            // Only the first answer buys time: a box that reports for ever is still bounded.
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

/// What a request is, as far as waiting for its answer goes.
enum RequestKind: Sendable, Equatable {
    /// A verdict follows, with progress on the way.
    case login
    /// One result.
    case simple
    /// One result, after something was done to the session.
    case session
}

/// How a request ended.
enum RequestEnd: Sendable, Equatable {
    case outcome(RequestOutcome)
    /// The box did not answer in time.
    case silent
    /// The link ended although the box had accepted this phone.
    case lost
    /// The link ended before the box had said a word: as for a phone that it does not know.
    case closedUnanswered
    /// The box said what no box may say.
    case nonsense
    /// The box has revoked this phone.
    case revoked
    /// The person gave up, before a login was sent, or the box has cancelled it.
    case cancelled
    /// The person gave up, and the box did not say what became of the login: a program may have the password.
    case notWithdrawn
    /// The box has not seen the grant whose hash it was shown, and has looked at nothing that came with it.
    case grantWanted
    /// The box does not let in a phone with this grant.
    case grantRefused(ResultCode)
    /// The phone's site has taken the grant back, by this entry, which it has signed.
    case takenBack([UInt8])
}
