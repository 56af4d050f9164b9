import Links
import PhoneMessages
import Secrets
import SecureChannel

/// The enrolment request: commits to a nonce, gets the box's nonce, reveals its own, and waits for the administrator.
final class EnrolmentAsking {
    private var exchange: EnrolmentExchange
    private var id: RequestID
    /// The id of `enrol`. A refusal carries this id until `reveal` has arrived.
    private let firstID: RequestID
    private let nonce: [UInt8]
    private let handshakeHash: [UInt8]

    init(label: [UInt8], _ context: inout ErrandContext) {
        nonce = randomBytes(count: EnrolmentCommitment.nonceBytes)
        handshakeHash = context.handshakeHash
        let commitment = EnrolmentCommitment.of(nonce: nonce, handshakeHash: handshakeHash)
        firstID = context.send(.enrol(EnrolRequest(label: label, commitment: commitment)))
        id = firstID
        exchange = EnrolmentExchange(limits: context.limits, now: context.now)
    }

    var deadline: Duration { exchange.deadline }

    func handle(_ input: Input, _ context: inout ErrandContext) -> EnrolmentEnd? {
        if case .cancel = input { return .cancelled }
        var current = id
        if case .message(.result(firstID, _, _)) = input { current = firstID }
        guard let event = EnrolmentExchange.Event(input, current, exchange.deadline, &context) else { return nil }
        for action in exchange.handle(event, now: context.now) {
            switch action {
            case .reveal(let boxNonce):
                let digits = EnrolmentCommitment.digits(
                    handshakeHash: handshakeHash, phoneNonce: nonce, boxNonce: boxNonce)
                id = context.send(.reveal(nonce: nonce))
                context.show(.compare(digits: String(bytes: digits)))
            case .waitingForAdministrator: context.show(.waitingForAdministrator)
            case .finish(let end): return end
            }
        }
        return nil
    }
}
