import Testing

@testable import CodeDrawing

@Suite("The QR code")
struct QRCodeTests {
    private func lines(_ text: String, columns: Int = 200, height: Int = 100, style: QRCode.Style = .plain) -> [String]?
    {
        QRCode.withDrawing(
            of: Array(text.utf8).span.bytes, into: QRCode.Size(columns: columns, lines: height), style: style
        ) { drawing in
            let bytes = (0..<drawing.byteCount).map { drawing.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    @Test("A drawing has a margin of four modules and two rows of modules a line")
    func shape() throws {
        let drawn = try #require(lines("boxlink:2/x"))
        // A code of version 1 has 21 modules on each side.
        #expect(drawn.count == (21 + 8 + 1) / 2)
        #expect(drawn.allSatisfy { $0.count == 29 })
        // Plain style draws light modules, so the margin consists of full blocks.
        #expect(drawn[0] == String(repeating: "█", count: 29))
        #expect(drawn[2].hasPrefix("████ ▄▄▄▄▄ "), "\(drawn[2])")
    }

    @Test("Colours change nothing but the colours: dark modules are drawn instead of light ones")
    func styles() throws {
        let plain = try #require(lines("boxlink:2/x"))
        let coloured = try #require(lines("boxlink:2/x", style: .coloured))
        let inverse: [Character: Character] = ["█": " ", " ": "█", "▀": "▄", "▄": "▀"]
        for (plain, coloured) in zip(plain, coloured) {
            let bare = coloured.dropFirst("\u{1B}[30;107m".count).dropLast("\u{1B}[0m".count)
            #expect(String(plain.map { inverse[$0] ?? "?" }) == String(bare))
        }
    }

    @Test("A Linux console is told no bright background, and draws the same")
    func console() throws {
        let console = try #require(lines("boxlink:2/x", style: .console))
        let coloured = try #require(lines("boxlink:2/x", style: .coloured))
        for (console, coloured) in zip(console, coloured) {
            #expect(console.hasPrefix("\u{1B}[30;47m"))
            #expect(console.dropFirst("\u{1B}[30;47m".count) == coloured.dropFirst("\u{1B}[30;107m".count))
        }
    }

    @Test("What does not fit the terminal, or a code, is not drawn")
    func tooLarge() {
        #expect(lines("boxlink:2/x", columns: 28) == nil)
        #expect(lines("boxlink:2/x", columns: 29) != nil)
        #expect(lines("boxlink:2/x", columns: 29, height: 14) == nil)
        #expect(lines("boxlink:2/x", columns: 29, height: 15) != nil)
        #expect(QRCode.size(of: Array("boxlink:2/x".utf8).span.bytes) == QRCode.Size(columns: 29, lines: 15))
        #expect(lines(String(repeating: "x", count: 2_953)) != nil)
        #expect(lines(String(repeating: "x", count: 2_954)) == nil)
    }

    @Test("An enrolment code takes 53 columns and 27 lines: its base 32 is kept in 5.5 bits a character")
    func enrolment() {
        // The code holds 32 + 32 + 8 + 32 + 6 + 1 bytes and a user name of 4 bytes, in base 32.
        let code = "boxlink:2/" + String(repeating: "A7", count: 92)
        #expect(QRCode.size(of: Array(code.utf8).span.bytes) == QRCode.Size(columns: 53, lines: 27))
        // In byte mode alone, the code would take 61 columns and 31 lines.
        #expect(QRCode.size(of: Array(code.lowercased().utf8).span.bytes) == QRCode.Size(columns: 61, lines: 31))
    }
}
