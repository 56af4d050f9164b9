import Testing

@testable import Links

@Suite("Advertisements")
struct AdvertisementTests {
    private func shown(_ name: [UInt8]) -> String { Advertisement(name: name, address: "a", rssi: nil).name }

    @Test("What could steer a terminal or deceive a reader is shown escaped")
    func escapes() {
        #expect(shown(Array("Box 0417".utf8)) == "Box 0417")
        #expect(shown(Array("\u{1b}[2J\u{7f}\r\n".utf8)) == "\\x1b[2J\\x7f\\x0d\\x0a")
        #expect(shown([0xFF, 0x41, 0xC3]) == "\\xffA\\xc3")
        #expect(shown(Array("a\u{202e}b\u{200b}\u{9b}".utf8)) == "a\\u{202e}b\\u{200b}\\x9b")
        #expect(shown(Array("\\x1b".utf8)) == "\\\\x1b")
        #expect(shown(Array("Büro 東京".utf8)) == "Büro 東京")
    }

    @Test("A long name is cut at 29 bytes, also inside a character")
    func longName() {
        #expect(shown([UInt8](repeating: 65, count: 500)) == String(repeating: "A", count: 29))
        #expect(
            shown([UInt8](repeating: 65, count: 28) + Array("ü".utf8)) == String(repeating: "A", count: 28) + "\\xc3")
    }

    @Test(
        "Only \"Box\" and four to six digits are a box's number",
        arguments: [
            ("Box 0417", "0417"), ("Box 9999", "9999"), ("box 0417", nil), ("Box 04171", "04171"),
            ("Box 041712", "041712"),
            ("Box 0417123", nil), ("Box 041", nil),
            ("Box 04a7", nil), ("Box ٤٤٤٤", nil), ("", nil),
        ] as [(String, String?)])
    func boxID(_ name: String, _ expected: String?) {
        #expect(Advertisement(name: Array(name.utf8), address: "a", rssi: nil).boxID == expected)
    }
}
