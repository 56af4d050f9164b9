import PhoneMessages
import Testing

@testable import PhoneCore

@Suite("An enrolment on its channel")
struct EnrolmentExchangeTests {
    private let id = RequestID.first

    private func nonce(_ byte: UInt8) -> EnrolmentExchange.Event {
        .delivery(.answer(.enrolNonce(id, [UInt8](repeating: byte, count: 32))))
    }

    private func ends(_ actions: [EnrolmentExchange.Action]) -> [EnrolmentEnd] {
        actions.compactMap { if case .finish(let end) = $0 { end } else { nil } }
    }

    @Test("A box names one nonce: another, once it has seen the phone's, would let it choose the digits")
    func oneNonce() {
        let exchange = EnrolmentExchange(limits: PhoneLimits(), now: .seconds(10))
        guard case .reveal? = exchange.handle(nonce(1), now: .seconds(11)).first else {
            return #expect(Bool(false), "the first nonce is taken")
        }
        #expect(ends(exchange.handle(nonce(2), now: .seconds(12))) == [.nonsense])
        #expect(exchange.handle(nonce(3), now: .seconds(13)).isEmpty, "it is over")
    }

    @Test("An administrator is waited for behind the digits only, and once")
    func pending() {
        let early = EnrolmentExchange(limits: PhoneLimits(), now: .seconds(10))
        #expect(ends(early.handle(.delivery(.answer(.enrolPending(id))), now: .seconds(11))) == [.nonsense])
        let exchange = EnrolmentExchange(limits: PhoneLimits(), now: .seconds(10))
        _ = exchange.handle(nonce(1), now: .seconds(11))
        #expect(ends(exchange.handle(.delivery(.answer(.enrolPending(id))), now: .seconds(12))).isEmpty)
        #expect(ends(exchange.handle(.delivery(.answer(.enrolPending(id))), now: .seconds(13))) == [.nonsense])
    }
}
