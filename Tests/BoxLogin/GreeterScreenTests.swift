import Testing

@testable import BoxLogin

@Suite struct GreeterScreenTests {
    private let view = GreeterView(
        boxID: Array("1234".utf8), instruction: "Tap.", state: "On.", fallback: "Or type.", notice: "Notice.")

    @Test(
        "Every text fits the terminal",
        arguments: [(80, 25), (80, 24), (128, 48), (240, 67), (0, 0), (40, 12), (20, 5), (1, 1), (132, 43)])
    func everyTextFitsTheTerminal(columns: Int, rows: Int) {
        let screen = GreeterScreen(columns: columns, rows: rows, hasReverseVideo: false)
        for line in screen.lines(view) {
            #expect(line.utf8.count < screen.columns)
        }
        let bytes = screen.bytes(view)
        let isPlain = bytes.allSatisfy { $0 == 0x1B || (0x20...0x7E).contains($0) }
        #expect(isPlain)
    }

    @Test("On eighty columns a digit is seven rows high") func onEightyColumnsADigitIsSevenRowsHigh() {
        let lines = GreeterScreen(columns: 80, rows: 25, hasReverseVideo: false).lines(view)
        let digits = lines.filter { $0.contains("#") }
        #expect(digits.count == 7)
        #expect(
            digits.first == String(repeating: " ", count: 14) + "    ##          ######      ########            ##  ")
        #expect(lines.count < 25)
    }

    @Test("On a large terminal the digits grow") func onALargeTerminalTheDigitsGrow() {
        let lines = GreeterScreen(columns: 240, rows: 67, hasReverseVideo: false).lines(view)
        #expect(lines.filter { $0.contains("#") }.count == 21)
    }

    @Test("On a tiny terminal the ID is text") func onATinyTerminalTheIDIsText() {
        let lines = GreeterScreen(columns: 30, rows: 8, hasReverseVideo: false).lines(view)
        #expect(lines.contains { $0.hasSuffix("1234") })
    }

    @Test("An unknown ID is not drawn") func anUnknownIDIsNotDrawn() {
        var unknown = view
        unknown.boxID = nil
        let lines = GreeterScreen(columns: 80, rows: 25, hasReverseVideo: false).lines(unknown)
        #expect(lines.allSatisfy { !$0.contains("#") && !$0.contains("box") })
    }

    @Test("What others chose drives no terminal") func whatOthersChoseDrivesNoTerminal() {
        var odd = view
        odd.notice = "caf\u{e9}\u{1b}[31m\u{7}"
        let lines = GreeterScreen(columns: 80, rows: 25, hasReverseVideo: false).lines(odd)
        #expect(lines.last?.hasSuffix("caf??[31m?") == true)
    }
}
