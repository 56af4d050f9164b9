import PhoneCore
import PhoneMessages
import Testing

@testable import BoxPhoneCommand

@Suite("What boxphone says of a result")
struct ResultSentenceTests {
    @Test("Each code has a sentence of its own")
    func own() {
        let codes = ResultCode.allCases.filter { $0 != .correct }
        let sentences = codes.map { RequestOutcome.refused($0, .none).explained(boxID: "1234").sentence }
        #expect(!sentences.contains(""))
        // Codes 25 to 27 share one sentence: the box does not accept the grant.
        #expect(Set(sentences).count >= codes.count - 2)
    }
}
