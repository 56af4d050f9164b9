import Secrets
import SecureChannel
import TestSupport
import Testing

@testable import SiteLink

@Suite("Join codes")
struct JoinCodeTests {
    private typealias Fixture = LinkFixture

    private static let addresses = ["192.0.2.10:4711", "[2001:db8::10]:4711", "127.0.0.1:1", "[::1]:65535"]

    private struct NoCode: Error {}

    private func code(_ servers: [SiteAddress]) throws -> JoinCode {
        guard
            let code = JoinCode(
                rootKey: Fixture.ed25519(1).publicKey, codeID: Fixture.codeID, secret: Fixture.secret(0x5A),
                servers: servers)
        else { throw NoCode() }
        return code
    }

    private func code(_ count: Int = 2) throws -> JoinCode {
        try code(Self.addresses.prefix(count).map(Fixture.address))
    }

    private func text(_ code: borrowing JoinCode) -> [UInt8] {
        code.format().withBytes { [UInt8](copying: $0) }
    }

    /// Returns the code's error, or nil.
    private func error(_ text: [UInt8]) -> JoinCodeError? {
        do throws(JoinCodeError) {
            _ = try JoinCode(parsing: SecretBytes(copying: text))
            return nil
        } catch {
            return error
        }
    }

    @Test("A code with one to four servers comes out as it went in, white space around it left out", arguments: 1...4)
    private func thereAndBack(count: Int) throws {
        let code = try code(count)
        let text = text(code)
        #expect(text.starts(with: Array("boxsite:1/".utf8)) && text.count <= JoinCode.byteCountLimit)
        for padded in [text, Array("\t\r\n  ".utf8) + text + Array(" \u{0B}\u{0C}\n".utf8)] {
            let again = try JoinCode(parsing: SecretBytes(copying: padded))
            #expect(again.rootKey == code.rootKey && again.codeID == code.codeID && again.servers == code.servers)
            let same = again.secret.isEqual(to: code.secret)
            #expect(same)
        }
    }

    @Test("The longest code has as many bytes as any may have")
    func longest() throws {
        let host = "[" + String(repeating: ":", count: 56) + "]:65535"
        let longest = try code([SiteAddress](repeating: Fixture.address(host), count: 4))
        #expect(text(longest).count == JoinCode.byteCountLimit)
        #expect(error(text(longest)) == nil)
        #expect(error(text(longest) + Array("AAAAAAAA".utf8)) == .damaged)
        #expect(SiteAddress(Array(("[:" + host.dropFirst()).utf8)) == nil)
    }

    @Test("Each character that was changed, left out or doubled makes no code or another one")
    func damage() throws {
        let whole = text(try code())
        for position in whole.indices {
            for change in [UInt8(1), 3, 0x20, 0x80] {
                var damaged = whole
                damaged[position] ^= change
                expectAnother(damaged, whole, position)
            }
            var shorter = whole
            shorter.remove(at: position)
            expectAnother(shorter, whole, position)
            var longer = whole
            longer.insert(whole[position], at: position)
            expectAnother(longer, whole, position)
            expectAnother([UInt8](whole.prefix(position)), whole, position)
        }
    }

    private func expectAnother(_ damaged: [UInt8], _ whole: [UInt8], _ position: Int) {
        guard damaged != whole, let other = try? JoinCode(parsing: SecretBytes(copying: damaged)) else { return }
        // Each code must have only one encoding.
        #expect(text(other) == damaged, "position \(position)")
    }

    @Test("Any content behind the prefix is refused or comes out as it went in", arguments: seeds)
    private func anyContent(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        for _ in 0..<2_000 {
            let count = Int.random(in: 0...JoinCode.byteCountLimit, using: &generator)
            let text =
                Array("boxsite:1/".utf8) + (0..<count).map { _ in alphabet[.random(in: 0..<32, using: &generator)] }
            if let code = try? JoinCode(parsing: SecretBytes(copying: text)) {
                #expect(self.text(code) == text, "seed \(seed)")
            }
        }
    }

    @Test("What is no code says what to do")
    func errors() throws {
        let whole = text(try code())
        for text in ["", " ", "boxsite", "boxlink:1/AAAA", "BOXSITE:1/AAAA"] {
            #expect(error(Array(text.utf8)) == .notAJoinCode, "\(text)")
        }
        #expect(error(Array("boxsite:2/".utf8) + whole.dropFirst(10)) == .unknownVersion)
        for text in ["boxsite:1/", "boxsite:1/AAAA", "boxsite:1/ AAAA"] {
            #expect(error(Array(text.utf8)) == .damaged, "\(text)")
        }
        #expect(error(Array(String(decoding: whole, as: UTF8.self).lowercased().utf8)) == .damaged)
    }

    @Test("A code has one to four servers, and a key, an id and a secret of their lengths")
    func counts() throws {
        let (key, address) = (Fixture.ed25519(1).publicKey, Fixture.address("192.0.2.10:4711"))
        func made(_ key: [UInt8], _ id: [UInt8], _ secret: Int, _ servers: Int) -> Bool {
            let code = JoinCode(
                rootKey: key, codeID: id, secret: SecretBytes(count: secret),
                servers: [SiteAddress](repeating: address, count: servers))
            switch consume code {
            case .some: return true
            case .none: return false
            }
        }
        #expect(made(key, Fixture.codeID, 32, 4))
        #expect(!made(key, Fixture.codeID, 32, 0) && !made(key, Fixture.codeID, 32, 5))
        #expect(!made(key.dropLast(), Fixture.codeID, 32, 1) && !made(key, [1], 32, 1))
        #expect(!made(key, Fixture.codeID, 31, 1) && !made(key, Fixture.codeID, 33, 1))
        // The same faults in the text: none, five, one too few, one too many, an address cut short.
        let one = [UInt8(address.bytes.count)] + address.bytes
        let five = [[UInt8]](repeating: one, count: 5).flatMap { $0 }
        let tails: [[UInt8]] = [
            [0], [5] + five, [2] + one, [0] + one, [1] + one + [0], [1] + one.dropLast(), [1, 0], [255] + five,
        ]
        for tail in tails {
            let text = CodeText.format(
                prefix: JoinCode.prefix, head: key + Fixture.codeID, secret: Fixture.secret(1), tail: tail)
            #expect(error(text.withBytes { [UInt8](copying: $0) }) == .damaged, "\(tail)")
        }
    }
}
