import TestVectors
import Testing

@testable import Secrets

@Suite("Hashes")
struct HashTests {
    @Test("RFC 4231's vectors for HMAC-SHA-256", arguments: try VectorFile("hmac-sha256.txt").cases)
    func hmac(vector: VectorCase) throws {
        let code = HMACSHA256.authenticationCode(
            of: try vector.bytes("data"), key: SecretBytes(copying: try vector.bytes("key")))
        let expected = try vector.bytes("code")
        #expect([UInt8](code.prefix(expected.count)) == expected)
    }

    @Test("FIPS 180-4's examples for SHA-256")
    func sha256() throws {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        let twoBlocks = "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        #expect(SHA256.hash([]) == (try [UInt8](hex: empty)))
        #expect(SHA256.hash([UInt8]("abc".utf8)) == (try [UInt8](hex: abc)))
        let message = [UInt8]("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8)
        #expect(SHA256.hash(message) == (try [UInt8](hex: twoBlocks)))
    }

    @Test(
        "Keyed BLAKE2b as another implementation computes it", arguments: try VectorFile("blake2b-256-keyed.txt").cases)
    func keyedHash(vector: VectorCase) throws {
        let key = SecretBytes(copying: try vector.bytes("key"))
        let message = try vector.bytes("message")
        var whole = try KeyedHash(key: key, context: "")
        whole.add(message)
        let wholeDigest = whole.finish()
        #expect(try wholeDigest.publicCopy == vector.bytes("digest"))

        var pieces = try KeyedHash(key: key, context: "")
        let middle = message.count / 3
        pieces.add([UInt8](message[..<middle]))
        pieces.add(SecretBytes(copying: [UInt8](message[middle...])))
        let piecesDigest = pieces.finish()
        #expect(try piecesDigest.publicCopy == vector.bytes("digest"))
    }

    @Test("The context of a keyed hash comes first in its input")
    func keyedHashContext() throws {
        let key = SecretBytes(randomCount: 32)
        let derived = try KeyedHash.derive(key: key, context: "boxagent/kek/1") { $0.add([1, 2, 3]) }
        var same = try KeyedHash(key: key, context: "")
        same.add([UInt8]("boxagent/kek/1".utf8) + [1, 2, 3])
        let sameDigest = same.finish()
        #expect(derived.publicCopy == sameDigest.publicCopy)
        let other = try KeyedHash.derive(key: key, context: "boxagent/kek/2") { $0.add([1, 2, 3]) }
        #expect(derived.publicCopy != other.publicCopy)
    }

    @Test("A keyed hash refuses keys shorter than 16 and longer than 64 bytes", arguments: [0, 15, 65])
    func keyedHashKeyLength(count: Int) {
        #expect(throws: SecretsError.wrongLength) {
            _ = try KeyedHash.derive(key: SecretBytes(count: count), context: "x") { _ in }.count
        }
    }
}
