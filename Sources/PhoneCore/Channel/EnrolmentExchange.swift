import PhoneMessages

/// An enrolment, from the commitment to the administrator's word.
///
/// The phone commits to a nonce, hears the box's, and shows its own: only then are there digits to compare, which nobody
/// could choose (`EnrolmentCommitment`).
///
/// Pure. The rule that nothing is lost: the phone stores its new key before the request leaves it, and the record
/// stays until the box has said yes (then it becomes active) or no (then it goes). When neither was heard, it stays
/// as it is, and whether the box says yes shows when the phone next tries the key.
final class EnrolmentExchange {
    enum Event: Sendable {
        case delivery(ChannelConversation.Delivery)
        case timer
        case ended
    }

    enum Action: Sendable {
        /// Show the nonce, and the digits that come of both.
        case reveal(boxNonce: [UInt8])
        case waitingForAdministrator
        case finish(EnrolmentEnd)
    }

    private let limits: PhoneLimits
    private enum Phase { case committed, revealed, pending, over }

    private var phase: Phase
    /// What a site has said ahead of its grant.
    private var document: [UInt8]?
    private(set) var deadline: Duration

    /// - Parameter asksAgain: On an ordinary channel, where the enrolment is over and only its answer is asked for.
    init(limits: PhoneLimits, asksAgain: Bool = false, now: Duration) {
        self.limits = limits
        phase = asksAgain ? .revealed : .committed
        deadline = now + limits.firstAnswer
    }

    func handle(_ event: Event, now: Duration) -> [Action] {
        guard phase != .over else { return [] }
        switch event {
        case .timer, .ended: return finish(.uncertain)
        case .delivery(let delivery):
            switch delivery {
            case .agreed, .late, .state, .kept, .siteEntry, .siteGrant: return []
            case .versionRefused: return finish(.refused(.protocolVersion, .none))
            case .revoked: return finish(.refused(.revoked, .none))
            case .nonsense, .refusedGrant: return finish(.nonsense)
            case .answer(.enrolNonce(_, let nonce)):
                guard phase == .committed else { return finish(.nonsense) }
                phase = .revealed
                deadline = now + limits.firstAnswer
                return [.reveal(boxNonce: nonce)]
            case .answer(.enrolPending):
                guard phase == .revealed else { return finish(.nonsense) }
                phase = .pending
                deadline = now + limits.confirmation
                return [.waitingForAdministrator]
            case .answer(.enrolled(_, let result)):
                // A box that skips the digits has nothing that anybody compared.
                return finish(phase == .committed ? .nonsense : .enrolled(result))
            case .answer(.siteDocument(_, let bytes)):
                guard phase != .committed, document == nil else { return finish(.nonsense) }
                document = bytes
                return []
            case .answer(.siteEnrolled(_, let grant)):
                guard let document else { return finish(.nonsense) }
                return finish(.granted(document: document, grant: grant))
            case .answer(.result(_, let code, let detail)): return finish(.refused(code, detail))
            case .answer: return finish(.nonsense)
            }
        }
    }

    private func finish(_ end: EnrolmentEnd) -> [Action] {
        phase = .over
        return [.finish(end)]
    }
}

/// How an enrolment ended.
enum EnrolmentEnd: Sendable, Equatable {
    case enrolled(EnrolResult)
    /// By a site: its document and the phone's grant.
    case granted(document: [UInt8], grant: [UInt8])
    case refused(ResultCode, ResultDetail)
    /// The link ended, or time ran out, after the request had gone out: the box may have said yes or no.
    case uncertain
    /// The person gave up waiting; the administrator may still say yes.
    case cancelled
    case nonsense
}
