import PageCore
import Testing

@Suite("Base64URL")
struct Base64URLTests {
    @Test("Bytes come back from their text, of every length")
    func roundTrip() {
        for length in 0..<70 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 37 + 251) }
            #expect(Base64URL.bytes(Base64URL.text(bytes), limit: length) == bytes)
        }
    }

    @Test("The text is that of RFC 4648 section 10, without padding")
    func vectors() {
        let vectors = ["": "", "f": "Zg", "fo": "Zm8", "foo": "Zm9v", "foob": "Zm9vYg", "fooba": "Zm9vYmE"]
        for (plain, text) in vectors { #expect(Base64URL.text(Array(plain.utf8)) == text) }
        #expect(Base64URL.text([0xFB, 0xFF]) == "-_8")
    }

    @Test("Padding, another alphabet, a stray letter, bits that are left over and too much are refused")
    func refusals() {
        for text in ["Zg==", "Zm9v\n", "+/8", "Z", "Zm9vY", "Zh", "Zm9", "Zg "] {
            #expect(Base64URL.bytes(text, limit: 100) == nil, "\(text)")
        }
        #expect(Base64URL.bytes("Zm9v", limit: 2) == nil)
    }
}
