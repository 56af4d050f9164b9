import CSodium

/// A key pair for Ed25519 (RFC 8032). Seed and expanded key stay in guarded memory.
public struct Ed25519KeyPair: ~Copyable, Sendable {
    /// 32 bytes.
    public let publicKey: [UInt8]
    private let seed: SecretBytes
    /// The form that libsodium uses: seed ‖ public key, 64 bytes.
    private let expanded: SecretBytes

    /// Makes a random key pair.
    public init() {
        self.init(checkedSeed: SecretBytes(randomCount: Ed25519.keyBytes))
    }

    /// Derives the key pair from a stored seed of 32 bytes.
    public init(seed: consuming SecretBytes) throws(SecretsError) {
        guard seed.count == Ed25519.keyBytes else { throw .wrongLength }
        self.init(checkedSeed: seed)
    }

    private init(checkedSeed seed: consuming SecretBytes) {
        var publicKey = [UInt8](repeating: 0, count: Ed25519.keyBytes)
        var expanded = SecretBytes(count: Int(crypto_sign_SECRETKEYBYTES))
        // SAFETY: the buffers have 32, 64 and 32 bytes.
        seed.withPointer { seed in
            expanded.withMutablePointer { expanded in
                _ = crypto_sign_seed_keypair(&publicKey, expanded, seed)
            }
        }
        self.publicKey = publicKey
        self.seed = seed
        self.expanded = expanded
    }

    /// Returns the signature, 64 bytes, over `context` (at most 255 bytes) and `message`; see `Ed25519`.
    public borrowing func sign(context: StaticString, message: [UInt8]) -> [UInt8] {
        sign(Ed25519.signedBytes(context: context, message: message))
    }

    /// Signs `bytes` by plain Ed25519, for the published test vectors.
    borrowing func sign(_ bytes: [UInt8]) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Ed25519.signatureBytes)
        // SAFETY: the signature has room for 64 bytes, the key has 64.
        expanded.withPointer { key in
            _ = crypto_sign_detached(&signature, nil, bytes, UInt64(bytes.count), key)
        }
        return signature
    }

    /// Lends the seed's 32 bytes, so that the caller can seal and store them.
    public borrowing func withSeed<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try seed.withBytes(body)
    }
}
