import PhoneMessages
import Testing

@testable import AgentCore

@Suite("What waits to be sent to a phone")
struct PhoneOutboxTests {
    private func result(_ number: UInt32) -> BoxMessage { .result(testRequest(number), .correct, ResultDetail()) }

    /// Adds the messages and returns whether all of them had a place.
    private func add(_ messages: [BoxMessage], to outbox: inout PhoneOutbox) -> Bool {
        messages.reduce(true) { outbox.add($1) && $0 }
    }

    private func drained(_ outbox: inout PhoneOutbox) -> [BoxMessage] {
        var messages: [BoxMessage] = []
        while let next = outbox.next() { messages.append(next) }
        return messages
    }

    @Test("Messages leave in the order in which they came")
    func inOrder() {
        var outbox = PhoneOutbox()
        let messages: [BoxMessage] = [result(1), .offer(.unlock), result(2), .revoked]
        #expect(add(messages, to: &outbox))
        #expect(drained(&outbox) == messages)
        #expect(outbox.isEmpty)
    }

    @Test(
        "Where much waits, a newer state, offer or warning replaces the one that has not left, and nothing else is replaced"
    )
    func replaced() {
        var outbox = PhoneOutbox()
        let revoked = [BoxMessage](repeating: .revoked, count: PhoneOutbox.answerLimit)
        #expect(add([.offer(.logIn), .logoutWarning(nil)] + revoked, to: &outbox))
        #expect(add([.offer(.unlock), .revoked], to: &outbox))
        #expect(drained(&outbox) == [.logoutWarning(nil)] + revoked + [.offer(.unlock), .revoked])
    }

    @Test("Where little waits, everything is sent as it came")
    func unchanged() {
        var outbox = PhoneOutbox()
        let messages: [BoxMessage] = [.offer(.logIn), .logoutWarning(nil), .offer(.unlock)]
        #expect(add(messages, to: &outbox))
        #expect(drained(&outbox) == messages)
    }

    @Test("What a result follows belongs to it, and is not replaced")
    func answered() {
        var outbox = PhoneOutbox()
        let messages = [.offer(.logIn)] + (1...12).map { result($0) } + [.offer(.unlock), result(13)]
        #expect(add(messages, to: &outbox))
        #expect(drained(&outbox) == messages)
    }

    @Test("One message more than fits is refused, and a state that only replaces one still fits")
    func bounded() {
        var outbox = PhoneOutbox()
        let full = (1..<UInt32(PhoneOutbox.messageLimit)).map { result($0) } + [.offer(.logIn)]
        #expect(add(full, to: &outbox))
        #expect(!add([result(99)], to: &outbox))
        #expect(add([.offer(.unlock)], to: &outbox))
        #expect(drained(&outbox).count == PhoneOutbox.messageLimit)
    }

    @Test("What is dropped does not leave")
    func dropped() {
        var outbox = PhoneOutbox()
        #expect(add([result(1)], to: &outbox))
        outbox.clear()
        #expect(add([.revoked], to: &outbox))
        #expect(drained(&outbox) == [.revoked])
    }
}
