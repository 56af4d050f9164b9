import Testing
import TextOutput

@testable import BoxAgentCommand

@Suite("What the command prints")
struct OutputTests {
    @Test("Columns are as wide as their widest cell")
    func table() {
        #expect(TextTable.lines([["A", "B", "C"], ["long", "", "x"]]) == ["A     B  C", "long     x"])
        #expect(TextTable.lines([]) == [])
    }

    @Test("Times are written for people and for programs")
    func times() {
        #expect(Timestamp.universal(0) == "1970-01-01T00:00:00Z")
        #expect(Timestamp.universal(1_795_243_212) == "2026-11-21T06:40:12Z")
        #expect(Timestamp.local(1_795_243_212).count == 19)
        #expect(Timestamp.universal(.max).isEmpty == false)
        #expect(
            [0, 59, 60, 3_661, 90_000].map(Timestamp.span) == ["0 s", "59 s", "1 min 0 s", "1 h 1 min", "1 d 1 h"])
    }

    @Test("Six digits are shown in two groups")
    func digits() {
        #expect(SixDigits.spaced("123456") == "123 456")
        #expect(SixDigits.spaced("12") == "12")
    }
}
