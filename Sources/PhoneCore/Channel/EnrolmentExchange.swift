import PhoneMessages

/// An enrolment, from the commitment to the administrator's decision.
///
/// The phone commits to a nonce, receives the box's, and reveals its own. Only then are there digits to compare, so
/// neither side could choose them (`EnrolmentCommitment`).
///
/// Pure. A lost answer does no harm: the phone stores its new key before the request leaves. The key's row is activated
/// if the box agrees, and removed if the box refuses. Without an answer, the row stays; its next use shows the result.
final class EnrolmentExchange {
    enum Event: Sendable {
        case delivery(ChannelConversation.Delivery)
        case timer
        case ended
    }

    enum Action: Sendable {
        /// Reveal the nonce, and show the digits derived from both nonces.
        case reveal(boxNonce: [UInt8])
        case waitingForAdministrator
        case finish(EnrolmentEnd)
    }

    private let limits: PhoneLimits
    private enum Phase { case committed, revealed, pending, over }

    private var phase: Phase
    /// The document that a site sends before its grant.
    private var document: [UInt8]?
    private(set) var deadline: Duration

    /// - Parameter asksAgain: True to ask again for the answer to an earlier enrolment.
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
                // Without the digits, there was nothing to compare.
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

/// The result of an enrolment.
enum EnrolmentEnd: Sendable, Equatable {
    case enrolled(EnrolResult)
    /// A site enrolled the phone, and sent the site document and the phone's grant.
    case granted(document: [UInt8], grant: [UInt8])
    case refused(ResultCode, ResultDetail)
    /// The link ended or timed out after the request was sent. The box may have agreed or refused.
    case uncertain
    /// The person gave up waiting. The administrator may still confirm.
    case cancelled
    case nonsense
}
