import TestVectors
import Testing

@testable import Secrets

@Suite("X25519")
struct KeyAgreementTests {
    @Test("RFC 7748's vectors: multiplication and agreement", arguments: try VectorFile("x25519.txt").cases)
    func published(vector: VectorCase) throws {
        let (scalar, point) = (try vector.bytes("scalar"), try vector.bytes("u"))
        let pair = try X25519KeyPair(privateKey: SecretBytes(copying: scalar))
        let shared = try pair.sharedSecret(with: point)
        #expect(try shared.publicCopy == vector.bytes("result"))
        if vector.has("public") {
            #expect(try pair.publicKey == vector.bytes("public"))
        }

        var arena = SecretArena()
        let (privateKey, result) = (SecretArena.Slot(0), SecretArena.Slot(1))
        arena.store(scalar.span.bytes, in: privateKey)
        try arena.agree(privateKey: privateKey, publicKey: point.span.bytes, into: result)
        #expect(try arena.bytes(result) == vector.bytes("result"))
        #expect(arena.publicKey(of: privateKey) == pair.publicKey)
    }

    @Test("RFC 7748's iterated vector after 1 and after 1,000 rounds")
    func iterated() throws {
        var (scalar, point) = ([9] + [UInt8](repeating: 0, count: 31), [9] + [UInt8](repeating: 0, count: 31))
        for round in 1...1_000 {
            let pair = try X25519KeyPair(privateKey: SecretBytes(copying: scalar))
            let result = try pair.sharedSecret(with: point).publicCopy
            (scalar, point) = (result, scalar)
            if round == 1 {
                #expect(
                    scalar == (try [UInt8](hex: "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079")))
            }
        }
        #expect(scalar == (try [UInt8](hex: "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51")))
    }

    /// The points of order 1, 2, 4 and 8, in each of their encodings, as the author of Curve25519 lists them.
    private static let lowOrder = [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    ]

    @Test("Public keys of low order are refused, and leave no shared secret", arguments: lowOrder)
    func lowOrderRefused(hex: String) throws {
        for topBit: UInt8 in [0, 0x80] {
            var publicKey = try [UInt8](hex: hex)
            publicKey[31] |= topBit
            let pair = X25519KeyPair()
            #expect(throws: SecretsError.invalidPublicKey) { _ = try pair.sharedSecret(with: publicKey).count }
            var arena = SecretArena()
            arena.randomise(SecretArena.Slot(0))
            arena.randomise(SecretArena.Slot(1))
            #expect(throws: SecretsError.invalidPublicKey) {
                try arena.agree(
                    privateKey: SecretArena.Slot(0), publicKey: publicKey.span.bytes, into: SecretArena.Slot(1))
            }
            #expect(arena.bytes(SecretArena.Slot(1)) == [UInt8](repeating: 0, count: 32))
        }
    }

    @Test("Keys of another length are refused", arguments: [0, 31, 33, 64])
    func wrongLengths(count: Int) {
        #expect(throws: SecretsError.wrongLength) {
            _ = try X25519KeyPair(privateKey: SecretBytes(count: count)).publicKey
        }
        let pair = X25519KeyPair()
        let publicKey = [UInt8](repeating: 9, count: count)
        #expect(throws: SecretsError.wrongLength) { _ = try pair.sharedSecret(with: publicKey).count }
        var arena = SecretArena()
        #expect(throws: SecretsError.wrongLength) {
            try arena.agree(privateKey: SecretArena.Slot(0), publicKey: publicKey.span.bytes, into: SecretArena.Slot(1))
        }
    }

    @Test("Both sides of an agreement get the same secret, and a stored private key gives the same pair again")
    func agreement() throws {
        let one = X25519KeyPair()
        let other = X25519KeyPair()
        let isSame = try one.sharedSecret(with: other.publicKey).isEqual(to: other.sharedSecret(with: one.publicKey))
        #expect(isSame)
        let again = try X25519KeyPair(privateKey: one.withPrivateKey { SecretBytes(copying: $0) })
        #expect(again.publicKey == one.publicKey)
    }
}
