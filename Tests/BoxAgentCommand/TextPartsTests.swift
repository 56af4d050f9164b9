import Testing

@testable import BoxAgentCommand

@Suite("The text before and behind a mark")
struct TextPartsTests {
    @Test func aTextIsPartedAtTheFirstMark() throws {
        let parts = try #require("it stops; start it; look".parts(around: "; "))
        #expect(parts == ("it stops", "start it; look"))
        let end = try #require("a; ".dropFirst(0).parts(around: "; "))
        #expect(end == ("a", ""))
    }

    @Test func aMarkIsFoundBehindItsOwnBeginningAndBehindLettersOfSeveralBytes() throws {
        let parts = try #require("Tür;; zu".parts(around: "; "))
        #expect(parts == ("Tür;", "zu"))
    }

    @Test func whatIsNotThereOrCutOffIsNotFound() {
        for text in ["", ";", "a;b", "pam_boxagent.s"] {
            #expect(text.parts(around: "; ") == nil)
            #expect(text.parts(around: "pam_boxagent.so") == nil)
        }
    }
}
