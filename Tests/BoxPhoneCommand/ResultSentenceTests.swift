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
        // 25 to 27 are one for a person: the box does not take the grant.
        #expect(Set(sentences).count >= codes.count - 2)
    }
}
