import Testing

@testable import SecureChannel
@testable import Secrets

@Suite("The enrolment URI")
struct EnrolmentURITests {
    private static let psk = [UInt8](100..<132)

    private func make(user: [UInt8] = [UInt8]("alice".utf8)) throws -> EnrolmentURI {
        try EnrolmentURI(
            authorityKey: [UInt8](0..<32), boxKey: [UInt8](32..<64), codeID: [UInt8](64..<72),
            psk: SecretBytes(copying: Self.psk), boxID: [UInt8]("0427".utf8), user: user)
    }

    private func text(user: [UInt8] = [UInt8]("alice".utf8)) throws -> [UInt8] {
        try make(user: user).format().publicCopy
    }

    /// Returns the reason why `text` is refused, or nil if it is accepted.
    private func refusal(_ text: [UInt8]) -> EnrolmentURIError? {
        do throws(EnrolmentURIError) {
            _ = try EnrolmentURI(parsing: SecretBytes(copying: text))
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "Parsing gives back what was formatted, for users of 1 to 255 bytes", arguments: [1, 2, 3, 4, 5, 16, 254, 255])
    func roundTrip(userBytes: Int) throws {
        let user = [UInt8](repeating: 0x61, count: userBytes)
        let formatted = try make(user: user).format()
        let parsed = try EnrolmentURI(parsing: formatted)
        #expect(parsed.authorityKey == [UInt8](0..<32))
        #expect(parsed.boxKey == [UInt8](32..<64))
        #expect(parsed.codeID == [UInt8](64..<72))
        #expect(parsed.psk.publicCopy == Self.psk)
        #expect(parsed.boxID == [UInt8]("0427".utf8))
        #expect(parsed.user == user)
        #expect(formatted.count <= EnrolmentURI.byteCountLimit)
        #expect(userBytes < 255 || formatted.count == EnrolmentURI.byteCountLimit)
    }

    @Test("The text is the scheme in lower case, then characters of a QR code's alphanumeric mode only")
    func alphabet() throws {
        let text = String(decoding: try text(), as: UTF8.self)
        #expect(text.hasPrefix("boxlink:2/"))
        let alphanumeric = Set("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:")
        #expect(text.dropFirst("boxlink".count).allSatisfy { alphanumeric.contains($0) })
        #expect(text.utf8.count == 10 + 186, "short enough for a small QR code")
    }

    @Test("White space around the text is left out; inside it is refused")
    func whiteSpace() throws {
        let text = try text()
        #expect(refusal([0x20, 0x09] + text + [0x0D, 0x0A]) == nil)
        #expect(refusal([UInt8](text[..<20]) + [0x20] + text[20...]) == .damaged)
        #expect(refusal([UInt8](text[..<20]) + [0x0A] + text[20...]) == .damaged)
    }

    @Test("Every truncation is refused")
    func truncations() throws {
        let text = try text()
        for count in 0..<text.count {
            #expect(refusal([UInt8](text.prefix(count))) != nil)
        }
        #expect(refusal(text + [0x41]) == .damaged)
        #expect(refusal(text + text) == .damaged)
    }

    @Test("Every replaced character is refused or gives another code, never the same one")
    func replacements() throws {
        let text = try text()
        for index in text.indices {
            for byte: UInt8 in [0, 0x20, 0x30, 0x31, 0x38, 0x3D, 0x61, 0x7A, 0x80, 0xFF] {
                var changed = text
                changed[index] = byte
                #expect(changed == text || refusal(changed) != nil)
            }
            var changed = text
            changed[index] = text[index] == 0x41 ? 0x42 : 0x41
            if let parsed = try? EnrolmentURI(parsing: SecretBytes(copying: changed)) {
                let again = parsed.format().publicCopy
                #expect(again == changed, "one text for one code")
            }
        }
    }

    @Test("A code with the second encoding of a box key or a site key is refused")
    func secondEncoding() {
        let key = [UInt8](repeating: 0xFF, count: 31) + [0x7F]
        #expect(throws: EnrolmentURIError.invalidField) {
            _ = try EnrolmentURI(
                authorityKey: [UInt8](0..<32), boxKey: key, codeID: [UInt8](64..<72),
                psk: SecretBytes(copying: Self.psk), boxID: [UInt8]("0427".utf8), user: [0x61]
            ).user
        }
        let code = SiteEnrolmentCode(
            rootKey: [UInt8](0..<32), siteKey: key, codeID: [UInt8](64..<72), secret: SecretBytes(copying: Self.psk),
            site: [UInt8](0..<16))
        #expect((code == nil) == true)
    }

    @Test("Rubbish of every kind is refused with what is wrong")
    func rubbish() throws {
        let text = try text()
        let payload = [UInt8](text.dropFirst(10))
        #expect(refusal([]) == .notABoxlinkURI)
        #expect(refusal([UInt8]("https://example.org".utf8)) == .notABoxlinkURI)
        #expect(refusal([UInt8]("BOXLINK:2/".utf8) + payload) == .notABoxlinkURI)
        #expect(refusal([UInt8]("boxlink:".utf8)) == .unknownVersion)
        for version in ["1", "3"] {
            #expect(refusal([UInt8]("boxlink:\(version)/".utf8) + payload) == .unknownVersion)
        }
        #expect(refusal([UInt8]("boxlink:2?".utf8) + payload) == .unknownVersion)
        #expect(refusal([UInt8]("boxlink:2/".utf8)) == .damaged)
        #expect(refusal([UInt8]("boxlink:2/".utf8) + [UInt8](repeating: 0x41, count: 1_000)) == .tooLong)
        #expect(refusal([UInt8]("boxlink:2/".utf8) + payload.map { $0 | 0x20 }) == .damaged)
        #expect(refusal([UInt8](repeating: 0, count: 200)) == .notABoxlinkURI)
        #expect(refusal([UInt8](repeating: 0x20, count: 10_000)) == .notABoxlinkURI)
    }

    @Test("Random bytes behind the scheme never crash the parser and never parse")
    func randomRubbish() {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SplitMix64(state: seed)
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...600, using: &generator)
            let alphabet = [UInt8]("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
            let body = (0..<count).map { _ in
                Bool.random(using: &generator) || count % 3 == 0
                    ? alphabet[Int.random(in: 0..<32, using: &generator)] : UInt8.random(in: 0...255, using: &generator)
            }
            let text = [UInt8]("boxlink:2/".utf8) + body
            if let parsed = try? EnrolmentURI(parsing: SecretBytes(copying: text)) {
                let again = parsed.format().publicCopy
                #expect(again == text, "seed \(seed): only a code's one canonical text may parse")
            }
        }
    }

    @Test(
        "User names that are empty, too long, no UTF-8, or have control characters are refused",
        arguments: [
            [], [UInt8](repeating: 0x61, count: 257), [0x61, 0], [0x0A], [0x7F], [0xC2, 0x85], [0xE2, 0x80, 0xA8],
            [0xFF], [0xC0, 0xAF], [0xED, 0xA0, 0x80], [0x61, 0xC3],
        ] as [[UInt8]])
    func invalidUsers(user: [UInt8]) throws {
        #expect(throws: EnrolmentURIError.invalidUser) { _ = try make(user: user).user }
        guard (1...255).contains(user.count) else { return }
        // A text that is otherwise valid, but has this name, is refused too.
        let valid = try make(user: [UInt8](repeating: 0x61, count: user.count)).format()
        let decodedBytes = try #require(decoded(valid.slice(10..<valid.count).publicCopy))
        let content = decodedBytes.dropLast(user.count) + user
        var text = [UInt8](repeating: 0, count: valid.count)
        text.replaceSubrange(0..<10, with: "boxlink:2/".utf8)
        var span = text.mutableSpan
        var bytes = span.mutableBytes
        Base32.encode([UInt8](content).span.bytes, into: &bytes, at: 10)
        #expect(refusal(text) == .invalidUser)
    }

    @Test(
        "Odd but valid user names pass",
        arguments: ["ж", "DOMAIN\\user", "a b", "user@example.org", "😀", "-rf", "$(x)"])
    func oddUsers(user: String) throws {
        let parsed = try EnrolmentURI(parsing: make(user: [UInt8](user.utf8)).format())
        #expect(parsed.user == [UInt8](user.utf8))
    }

    @Test("Fields of another length are refused")
    func wrongFields() {
        let key = [UInt8](repeating: 1, count: 32)
        let (code, boxID, user) = ([UInt8](repeating: 2, count: 8), [UInt8]("0001".utf8), [UInt8]("u".utf8))
        func attempt(_ authority: [UInt8], _ box: [UInt8], _ code: [UInt8], _ psk: Int, _ boxID: [UInt8]) throws {
            _ = try EnrolmentURI(
                authorityKey: authority, boxKey: box, codeID: code, psk: SecretBytes(count: psk), boxID: boxID,
                user: user
            ).user
        }
        #expect(throws: Never.self) { try attempt(key, key, code, 32, boxID) }
        #expect(throws: EnrolmentURIError.invalidField) { try attempt([], key, code, 32, boxID) }
        #expect(throws: EnrolmentURIError.invalidField) { try attempt(key, key + [0], code, 32, boxID) }
        #expect(throws: EnrolmentURIError.invalidField) { try attempt(key, key, [1], 32, boxID) }
        #expect(throws: EnrolmentURIError.invalidField) { try attempt(key, key, code, 31, boxID) }
        #expect(throws: EnrolmentURIError.invalidField) { try attempt(key, key, code, 32, [1, 2, 3, 4]) }
    }

    private func decoded(_ text: [UInt8]) -> [UInt8]? {
        guard let bytes = Base32.decode(text.span.bytes) else { return nil }
        return bytes.publicCopy
    }

    @Test("Base 32 has RFC 4648's examples, without their padding")
    func base32() {
        let examples = [
            "": "", "f": "MY", "fo": "MZXQ", "foo": "MZXW6", "foob": "MZXW6YQ", "fooba": "MZXW6YTB",
            "foobar": "MZXW6YTBOI",
        ]
        for (plain, encoded) in examples {
            let (plainBytes, encodedBytes) = ([UInt8](plain.utf8), [UInt8](encoded.utf8))
            var output = [UInt8](repeating: 0, count: Base32.characterCount(byteCount: plainBytes.count))
            #expect(output.count == encodedBytes.count)
            var span = output.mutableSpan
            var bytes = span.mutableBytes
            Base32.encode(plainBytes.span.bytes, into: &bytes, at: 0)
            #expect(output == encodedBytes)
            #expect(decoded(encodedBytes) == plainBytes)
        }
        for invalid in ["M", "MZX", "MZXW6Y", "MZ", "my", "M1", "MY======", "MZXW6YTBO", "Mž"] {
            #expect(decoded([UInt8](invalid.utf8)) == nil, "\(invalid)")
        }
    }
}

/// A small seeded generator, so a failure can be repeated.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
