import Links
import PhoneMessages
import Secrets
import SecureChannel

/// The phone's enrolment request to its site: commits to a nonce, reveals it after the site's, shows the digits, and
/// waits for the administrator. Like `EnrolmentAsking`, on a carried channel; both use `EnrolmentExchange`.
final class SiteAsking {
    private var exchange: EnrolmentExchange
    private var id: RequestID
    private let nonce: [UInt8]
    /// True once the site has the phone's nonce, or was asked about an earlier try.
    private(set) var isRevealed: Bool

    /// - Parameter isSettling: True if the digits were shown before, and the answer was lost.
    /// - Returns: Nil if the channel cannot send.
    init?(label: [UInt8], isSettling: Bool, _ channel: CarriedChannel, _ context: inout ErrandContext) {
        nonce = randomBytes(count: EnrolmentCommitment.nonceBytes)
        let commitment = EnrolmentCommitment.of(nonce: nonce, handshakeHash: channel.handshakeHash)
        let request: PhoneRequest =
            isSettling ? .enrolment : .enrol(EnrolRequest(label: label, commitment: commitment))
        guard let id = Self.send(request, channel, &context) else { return nil }
        self.id = id
        isRevealed = isSettling
        exchange = EnrolmentExchange(limits: context.limits, asksAgain: isSettling, now: context.now)
    }

    var deadline: Duration { exchange.deadline }

    func hear(
        _ arrival: CarriedChannel.Arrival?, _ input: Input, _ channel: CarriedChannel, _ context: inout ErrandContext
    ) -> EnrolmentEnd? {
        let event: EnrolmentExchange.Event
        switch (arrival, input) {
        case (.message(.result(_, .alreadyEnrolled, _)), _) where !isRevealed: return ask(channel, &context)
        case (.message(let message), _): event = .delivery(channel.sort(message, current: id))
        case (.ended, _): event = .ended
        case (.established, _): event = .delivery(.nonsense)
        case (nil, .time) where context.now >= exchange.deadline: event = .timer
        case (nil, _): return nil
        }
        for action in exchange.handle(event, now: context.now) {
            switch action {
            case .reveal(let siteNonce):
                let digits = EnrolmentCommitment.digits(
                    handshakeHash: channel.handshakeHash, phoneNonce: nonce, boxNonce: siteNonce)
                guard let next = Self.send(.reveal(nonce: nonce), channel, &context) else { return .uncertain }
                id = next
                isRevealed = true
                context.show(.compare(digits: String(bytes: digits)))
            case .waitingForAdministrator: context.show(.waitingForAdministrator)
            case .finish(let end): return end
            }
        }
        return nil
    }

    /// Asks for the result of this phone's earlier try, which has used the code.
    private func ask(_ channel: CarriedChannel, _ context: inout ErrandContext) -> EnrolmentEnd? {
        guard let next = Self.send(.enrolment, channel, &context) else { return .uncertain }
        id = next
        isRevealed = true
        exchange = EnrolmentExchange(limits: context.limits, asksAgain: true, now: context.now)
        return nil
    }

    private static func send(
        _ request: PhoneRequest, _ channel: CarriedChannel, _ context: inout ErrandContext
    ) -> RequestID? {
        guard let (messages, id) = channel.ask(request, now: context.now) else { return nil }
        for message in messages { context.send(.carry(message)) }
        return id
    }
}
