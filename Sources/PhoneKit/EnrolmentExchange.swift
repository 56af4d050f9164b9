import PhoneMessages

/// An enrolment, from the request to the administrator's word.
///
/// Pure. The rule that nothing is lost: the phone stores its new key before the request leaves it, and the record
/// stays until the box has said yes (then it becomes active) or no (then it goes). When neither was heard, it stays
/// as it is, and whether the box says yes shows when the phone next tries the key.
struct EnrolmentExchange: Sendable {
    enum Event: Sendable {
        case delivery(ChannelConversation.Delivery)
        case timer
        case ended
    }

    enum Action: Sendable {
        case waitingForAdministrator
        case finish(EnrolmentEnd)
    }

    private let limits: PhoneLimits
    private var isPending = false
    private var isOver = false
    private(set) var deadline: Duration

    init(limits: PhoneLimits, now: Duration) {
        self.limits = limits
        deadline = now + limits.firstAnswer
    }

    mutating func handle(_ event: Event, now: Duration) -> [Action] {
        guard !isOver else { return [] }
        switch event {
        case .timer, .ended: return finish(.uncertain)
        case .delivery(let delivery):
            switch delivery {
            case .agreed, .late, .state, .accountProblem, .kept: return []
            case .versionRefused: return finish(.refused(.protocolVersion, .none))
            case .revoked: return finish(.refused(.revoked, .none))
            case .nonsense: return finish(.nonsense)
            case .answer(.enrolPending):
                guard !isPending else { return finish(.nonsense) }
                isPending = true
                deadline = now + limits.confirmation
                return [.waitingForAdministrator]
            case .answer(.enrolled(_, let result)): return finish(.enrolled(result))
            case .answer(.result(_, let code, let detail)): return finish(.refused(code, detail))
            case .answer: return finish(.nonsense)
            }
        }
    }

    private mutating func finish(_ end: EnrolmentEnd) -> [Action] {
        isOver = true
        return [.finish(end)]
    }
}

/// How an enrolment ended.
enum EnrolmentEnd: Sendable, Equatable {
    case enrolled(EnrolResult)
    case refused(ResultCode, ResultDetail)
    /// The link ended, or time ran out, after the request had gone out: the box may have said yes or no.
    case uncertain
    /// The person gave up waiting; the administrator may still say yes.
    case cancelled
    case nonsense
}
