import AgentCore
import Testing

@testable import Sessions

@Suite("Command templates")
struct CommandTemplateTests {
    @Test("Placeholders are replaced once, as bytes, and what a user name brings is not expanded again")
    func expands() {
        let template = CommandTemplate(
            words: ["/bin/x", "--user={user}", "{session}", "{tty}{other}"].map { Array($0.utf8) })
        let target = SessionTarget(user: Array("{session}\u{1B} a".utf8), logindSession: nil, terminal: [0xFF])
        let words = template.arguments(for: target)
        #expect(words[1] == Array("--user={session}\u{1B} a".utf8))
        #expect(words[2] == [])
        #expect(words[3] == [0xFF] + Array("{other}".utf8))
    }
}
