import TestVectors
import Testing

@testable import Secrets

@Suite("Authenticated encryption")
struct AEADTests {
    @Test("RFC 8439's vectors for ChaCha20-Poly1305", arguments: try VectorFile("chacha20poly1305.txt").cases)
    func chaChaPoly(vector: VectorCase) throws {
        try check(ChaChaPoly.self, vector)
    }

    @Test("The XChaCha draft's vector", arguments: try VectorFile("xchacha20poly1305.txt").cases)
    func xChaChaPoly(vector: VectorCase) throws {
        try check(XChaChaPoly.self, vector)
    }

    private func check<AEAD: AEADSuite>(_ suite: AEAD.Type, _ vector: VectorCase) throws {
        let (key, nonce, data) = (try vector.bytes("key"), try vector.bytes("nonce"), try vector.bytes("data"))
        let (plaintext, sealed) = (try vector.bytes("plaintext"), try vector.bytes("sealed"))
        let result = try AEAD.seal(
            plaintext.span.bytes, key: key.span.bytes, nonce: nonce.span.bytes, associatedData: data.span.bytes)
        #expect(result == sealed)
        let opened = try AEAD.open(
            sealed.span.bytes, key: key.span.bytes, nonce: nonce.span.bytes, associatedData: data.span.bytes)
        #expect(opened.publicCopy == plaintext)

        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1 << UInt8(index % 8)
            #expect(throws: SecretsError.authenticationFailed) {
                _ = try AEAD.open(
                    changed.span.bytes, key: key.span.bytes, nonce: nonce.span.bytes,
                    associatedData: data.span.bytes
                ).count
            }
        }
        #expect(throws: SecretsError.authenticationFailed) {
            _ = try AEAD.open(
                sealed.span.bytes, key: key.span.bytes, nonce: nonce.span.bytes,
                associatedData: [UInt8](data.dropLast()).span.bytes
            ).count
        }
    }

    @Test("A failed opening leaves zeros, not the plaintext")
    func failureLeavesZeros() throws {
        let (key, nonce) = ([UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 24))
        var sealed = try XChaChaPoly.seal(
            [UInt8](repeating: 3, count: 100).span.bytes, key: key.span.bytes, nonce: nonce.span.bytes,
            associatedData: RawSpan())
        sealed[115] ^= 1
        var plaintext = SecretBytes(copying: [UInt8](repeating: 9, count: 100))
        #expect(throws: SecretsError.authenticationFailed) {
            try plaintext.withMutableBytes { (bytes) throws(SecretsError) in
                try XChaChaPoly.open(
                    sealed.span.bytes, key: key.span.bytes, nonce: nonce.span.bytes, associatedData: RawSpan(),
                    into: &bytes)
            }
        }
        #expect(plaintext.publicCopy == [UInt8](repeating: 0, count: 100))
    }

    @Test("Keys, nonces and buffers of another length are refused")
    func wrongLengths() {
        func seal(key: Int, nonce: Int) throws {
            _ = try XChaChaPoly.seal(
                RawSpan(), key: [UInt8](repeating: 0, count: key).span.bytes,
                nonce: [UInt8](repeating: 0, count: nonce).span.bytes, associatedData: RawSpan())
        }
        #expect(throws: SecretsError.wrongLength) { try seal(key: 31, nonce: 24) }
        #expect(throws: SecretsError.wrongLength) { try seal(key: 33, nonce: 24) }
        #expect(throws: SecretsError.wrongLength) { try seal(key: 32, nonce: 23) }
        #expect(throws: SecretsError.wrongLength) { try seal(key: 32, nonce: 12) }
        #expect(throws: Never.self) { try seal(key: 32, nonce: 24) }
        let (key, nonce) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 24))
        var buffer = [UInt8](repeating: 0, count: 20)
        for offset in [-1, 5, 21] {
            #expect(throws: SecretsError.wrongLength) {
                var span = buffer.mutableSpan
                var bytes = span.mutableBytes
                try XChaChaPoly.sealInPlace(
                    &bytes, from: offset, key: key.span.bytes, nonce: nonce.span.bytes, associatedData: RawSpan())
            }
        }
        #expect(buffer == [UInt8](repeating: 0, count: 20))
    }

    @Test("A sealed value opens with its own key and place only, and never looks the same twice")
    func sealedAtRest() throws {
        let key = SecretBytes(randomCount: 32)
        let otherKey = SecretBytes(randomCount: 32)
        let secret = SecretBytes(copying: [1, 2, 3])
        let sealed = try XChaChaPoly.seal(secret, key: key, associatedData: [1])
        #expect(sealed.count == 3 + XChaChaPoly.sealedOverheadBytes)
        #expect(try XChaChaPoly.seal(secret, key: key, associatedData: [1]) != sealed)
        let opened = try XChaChaPoly.open(sealed, key: key, associatedData: [1])
        #expect(opened.publicCopy == [1, 2, 3])
        #expect(throws: SecretsError.authenticationFailed) {
            _ = try XChaChaPoly.open(sealed, key: otherKey, associatedData: [1]).count
        }
        #expect(throws: SecretsError.authenticationFailed) {
            _ = try XChaChaPoly.open(sealed, key: key, associatedData: [2]).count
        }
        for count in [0, 1, 24, 39, 42] {
            #expect(throws: SecretsError.authenticationFailed) {
                _ = try XChaChaPoly.open([UInt8](sealed.prefix(count)), key: key, associatedData: [1]).count
            }
        }
    }
}
