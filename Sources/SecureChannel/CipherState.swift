import Secrets

/// Noise's CipherState (specification section 5.1): a key, which stays in its arena, and a counter.
struct CipherState<AEAD: AEADSuite>: Sendable {
    /// The key's slot in the arena.
    let key: SecretArena.Slot
    /// The counter of the next message. Each use of the key raises the counter, so that no value is used twice.
    private(set) var nonce: UInt64

    init(key: SecretArena.Slot, nonce: UInt64 = 0) {
        self.key = key
        self.nonce = nonce
    }

    /// EncryptWithAd, in place. From `offset` on, `buffer` holds the plaintext and 16 bytes for the tag.
    mutating func encrypt(
        _ buffer: inout MutableRawSpan, from offset: Int = 0, associatedData: RawSpan, in arena: borrowing SecretArena
    ) throws(SecretsError) {
        let counter = try advance()
        let nonce = Self.nonceBytes(counter)
        try arena.withSlot(key) { (key) throws(SecretsError) in
            try AEAD.sealInPlace(
                &buffer, from: offset, key: key, nonce: nonce.span.bytes.extracting(last: AEAD.nonceBytes),
                associatedData: associatedData)
        }
    }

    /// DecryptWithAd. The counter rises only if the message was authentic, as the specification requires.
    mutating func decrypt(
        _ sealed: RawSpan, associatedData: RawSpan, into plaintext: inout MutableRawSpan,
        in arena: borrowing SecretArena
    ) throws(SecretsError) {
        guard nonce < UInt64.max else { throw .wrongLength }
        let bytes = Self.nonceBytes(nonce)
        try arena.withSlot(key) { (key) throws(SecretsError) in
            try AEAD.open(
                sealed, key: key, nonce: bytes.span.bytes.extracting(last: AEAD.nonceBytes),
                associatedData: associatedData, into: &plaintext)
        }
        nonce += 1
    }

    /// Returns the counter for this use, and raises it. The specification reserves 2^64 − 1.
    private mutating func advance() throws(SecretsError) -> UInt64 {
        guard nonce < UInt64.max else { throw .wrongLength }
        defer { nonce += 1 }
        return nonce
    }

    /// Returns zeros, then the counter in little-endian order. The last 12 bytes are ChaChaPoly's nonce (section 12.3).
    /// All 24 bytes are XChaChaPoly's nonce, as in other implementations of that non-registered name.
    @inline(__always)
    private static func nonceBytes(_ counter: UInt64) -> [24 of UInt8] {
        [24 of UInt8] { index in
            index < 16 ? 0 : UInt8(truncatingIfNeeded: counter >> UInt64(8 * (index - 16)))
        }
    }
}
