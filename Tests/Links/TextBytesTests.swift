import Testing

@testable import Links

@Suite("Texts by their bytes")
struct TextBytesTests {
    @Test("Texts are the same when their bytes are, and not when Unicode calls them so")
    func same() {
        #expect("4711".hasBytes(of: "4711") && "".hasBytes(of: ""))
        #expect(!"4711".hasBytes(of: "4712") && !"4711".hasBytes(of: "47115") && !"4711".hasBytes(of: ""))
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        #expect(composed == decomposed && !composed.hasBytes(of: decomposed))
    }

    @Test("A text comes before those with a higher byte first, and before those that it begins")
    func order() {
        #expect("1234".precedes("4321") && "1234".precedes("12345") && "".precedes("1"))
        #expect(!"4321".precedes("1234") && !"1234".precedes("1234") && !"12345".precedes("1234"))
    }

    @Test(
        "Bytes that are UTF-8 become their text, others nothing",
        arguments: ["", "4711", "Büro 東京, a text that is not short"])
    func bytes(_ text: String) {
        #expect(text.bytes == Array(text.utf8) && String(bytes: text.bytes) == text)
        #expect(String(bytes: text.bytes + [0xFF]).isEmpty)
    }
}
