import Names
import Testing

@Suite("Ids of devices")
struct DeviceIDTests {
    @Test("An id comes back from its text, which has 26 characters")
    func text() throws {
        let id = try #require(DeviceID(bytes: (0..<16).map { $0 * 17 }))
        let text = Array(id.description.utf8)
        #expect(text.count == 26 && DeviceID(text: text) == id)
        #expect(DeviceID(text: Array(text.dropLast())) == nil && DeviceID(text: text + [0x30]) == nil)
        #expect(DeviceID(bytes: [UInt8](repeating: 0, count: 15)) == nil)
    }

    @Test("Crockford's base 32 comes back, and has one text for each value")
    func base32() {
        for count in 0...20 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 37 + 11) }
            #expect(CrockfordBase32.bytes(Array(CrockfordBase32.text(bytes).utf8)) == bytes)
        }
        #expect(CrockfordBase32.bytes(Array("01".utf8)) == nil && CrockfordBase32.bytes(Array("0i".utf8)) == nil)
    }

    @Test("Each beginning of its text names an id, in either case, and no other text does")
    func beginnings() throws {
        let id = try #require(DeviceID(bytes: (0..<16).map { 255 - $0 * 3 }))
        let text = Array(id.description.utf8)
        for count in 1...text.count {
            #expect(id.begins(with: Array(text.prefix(count))))
        }
        #expect(id.begins(with: Array(id.description.uppercased().utf8)))
        #expect(!id.begins(with: []) && !id.begins(with: text + [0x30]) && !id.begins(with: Array("u".utf8)))
    }

    @Test("Each mode of a credential has one word")
    func modes() {
        for mode in CredentialMode.allCases { #expect(CredentialMode(word: mode.word) == mode) }
        #expect(CredentialMode(word: "") == nil)
    }
}
