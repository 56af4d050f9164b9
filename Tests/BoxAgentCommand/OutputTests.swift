import CommandTool
import ControlProtocol
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

    @Test("On a terminal the widest flexible columns are shortened until a line fits, in a pipe none is")
    func narrow() {
        let rows = [["ID", "LABEL", "STATE"], ["abcdefgh", "the phone of Anna Schmidt", "active"]]
        #expect(
            TextTable.lines(rows, width: 30, flexible: [1]) == [
                "ID        LABEL         STATE", "abcdefgh  the phone o…  active",
            ])
        #expect(TextTable.lines(rows, width: 80, flexible: [1]) == TextTable.lines(rows))
        #expect(TextTable.lines(rows, width: nil, flexible: [1])[1].contains("the phone of Anna Schmidt"))
        let least = TextTable.lines(rows, width: 26, flexible: [1])
        #expect(least[1] == "abcdefgh  the pho…  active", "a cell keeps a beginning")
    }

    @Test("The table of phones fits 80 columns, with ids that still name their phone")
    func devices() {
        func device(_ id: String) -> DeviceListing {
            DeviceListing(
                id: Array((id + "abcdefghijklmnopqr").utf8), user: Array("anna".utf8),
                label: Array("The old phone with the broken screen".utf8), credential: .boxHeld, state: .active,
                enrolledUnixSeconds: 1_795_243_212, lastUsedUnixSeconds: 1_795_243_212, connected: true,
                pinAttemptsLeft: 1, credentialStale: true)
        }
        let devices = [device("aaaabbbb"), device("aaaabbbbc"), device("ddddeeee")]
        let head = ["DEVICE", "USER", "LABEL", "STATE", "ENROLLED", "LAST USED", "CREDENTIAL"]
        let narrow = DevicesCommand.table(head, devices, columns: 80)
        #expect(narrow.allSatisfy { $0.count <= 80 })
        #expect(Set(narrow.map { $0.prefix { $0 != " " } }) == ["DEVICE", "aaaabbbba", "aaaabbbbc", "ddddeeeea"])
        let wide = DevicesCommand.table(head, devices, columns: nil)
        #expect(wide[1].contains("The old phone with the broken screen") && wide[1].contains("1 PIN try left"))
    }

    @Test("Times are written for people and for programs")
    func times() {
        #expect(Timestamp.universal(0) == "1970-01-01T00:00:00Z")
        #expect(Timestamp.universal(1_795_243_212) == "2026-11-21T06:40:12Z")
        #expect(Timestamp.local(1_795_243_212).count == 19)
        #expect(Timestamp.universal(.max).isEmpty == false)
        #expect(
            [0, 59, 60, 3_661, 90_000].map(Timestamp.span) == ["0 s", "59 s", "1 min", "1 h 1 min", "1 d 1 h"])
    }

    @Test("Six digits are shown in two groups")
    func digits() {
        #expect(SixDigits.spaced("123456") == "123 456")
        #expect(SixDigits.spaced("12") == "12")
    }
}
