import Links
import PhoneMessages
import Secrets
import SecureChannel

/// What a phone says to its site: commits to a nonce, shows it once the site's is known, shows the digits, and waits for the
/// administrator. As `EnrolmentAsking`, in a channel that a box carries; what both do is in `EnrolmentExchange`.
final class SiteAsking {
    private var exchange: EnrolmentExchange
    private var id: RequestID
    private let nonce: [UInt8]
    /// The site has the phone's nonce, or is asked what became of an earlier try.
    private(set) var isRevealed: Bool

    /// - Parameter isSettling: The digits were shown before, and the answer was not heard.
    /// - Returns: Nil where the channel takes nothing.
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

    /// An earlier try of this phone has the code: what became of it is asked.
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
