import TestVectors
import Testing

@testable import Secrets

@Suite("Ed25519")
struct SigningTests {
    @Test("RFC 8032's vectors", arguments: try VectorFile("ed25519.txt").cases)
    func published(vector: VectorCase) throws {
        let pair = try Ed25519KeyPair(seed: SecretBytes(copying: vector.bytes("seed")))
        let (message, signature) = (try vector.bytes("message"), try vector.bytes("signature"))
        #expect(try pair.publicKey == vector.bytes("public"))
        #expect(pair.sign(message) == signature)
        #expect(Ed25519.verify(signature: signature, bytes: message, publicKey: pair.publicKey))
        #expect(!Ed25519.verify(signature: signature, bytes: message + [0], publicKey: pair.publicKey))
    }

    @Test("A signature holds for its context, message and key only; a flip of any bit shows")
    func contexts() {
        let pair = Ed25519KeyPair()
        let other = Ed25519KeyPair()
        let message: [UInt8] = [1, 2, 3]
        let signature = pair.sign(context: "one", message: message)
        func verifies(_ signature: [UInt8], _ context: StaticString, _ message: [UInt8], _ key: [UInt8]) -> Bool {
            Ed25519.verify(signature: signature, context: context, message: message, publicKey: key)
        }
        #expect(verifies(signature, "one", message, pair.publicKey))
        #expect(!verifies(signature, "two", message, pair.publicKey))
        #expect(!verifies(signature, "one", [1, 2], pair.publicKey))
        #expect(!verifies(signature, "one", message, other.publicKey))
        // The signature also covers the border between context and message.
        #expect(!verifies(signature, "on", [0x65] + message, pair.publicKey))
        for bit in 0..<512 {
            var changed = signature
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(!verifies(changed, "one", message, pair.publicKey))
        }
    }

    @Test("Signatures, keys and seeds of another length are refused", arguments: [0, 31, 33, 63, 65])
    func wrongLengths(count: Int) {
        let pair = Ed25519KeyPair()
        let signature = pair.sign(context: "x", message: [])
        let bytes = [UInt8](repeating: 0, count: count)
        #expect(!Ed25519.verify(signature: bytes, context: "x", message: [], publicKey: pair.publicKey))
        #expect(!Ed25519.verify(signature: signature, context: "x", message: [], publicKey: bytes))
        #expect(throws: SecretsError.wrongLength) {
            _ = try Ed25519KeyPair(seed: SecretBytes(count: count)).publicKey
        }
    }

    @Test("A stored seed gives the same pair again")
    func storedSeed() throws {
        let pair = Ed25519KeyPair()
        let again = try Ed25519KeyPair(seed: pair.withSeed { SecretBytes(copying: $0) })
        #expect(again.publicKey == pair.publicKey)
        #expect(again.sign(context: "c", message: [5]) == pair.sign(context: "c", message: [5]))
    }
}
