import CSodium

/// A key pair for X25519 (RFC 7748). The private key stays in guarded memory.
public struct X25519KeyPair: ~Copyable, Sendable {
    /// Length of public keys, private keys and shared secrets, in bytes.
    public static let keyBytes = 32

    public let publicKey: [UInt8]
    private let privateKey: SecretBytes

    /// A new random key pair.
    public init() {
        let key = SecretBytes(randomCount: Self.keyBytes)
        publicKey = Self.publicKey(for: key)
        privateKey = key
    }

    /// The key pair of a stored private key of 32 bytes.
    public init(privateKey: consuming SecretBytes) throws(SecretsError) {
        guard privateKey.count == Self.keyBytes else { throw .wrongLength }
        publicKey = Self.publicKey(for: privateKey)
        self.privateKey = privateKey
    }

    /// Lends the private key's 32 bytes: to store them sealed, or to copy them into a `SecretArena`.
    public borrowing func withPrivateKey<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try privateKey.withBytes(body)
    }

    /// The shared secret with another's public key of 32 bytes. A public key of low order is refused.
    public borrowing func sharedSecret(with publicKey: [UInt8]) throws(SecretsError) -> SecretBytes {
        guard publicKey.count == Self.keyBytes else { throw .wrongLength }
        var shared = SecretBytes(count: Self.keyBytes)
        // SAFETY: all three buffers have 32 bytes, as checked here and in `init`.
        let status = privateKey.withPointer { privateKey in
            shared.withMutablePointer { shared in crypto_scalarmult(shared, privateKey, publicKey) }
        }
        guard status == 0 else { throw .invalidPublicKey }
        return shared
    }

    private static func publicKey(for privateKey: borrowing SecretBytes) -> [UInt8] {
        var publicKey = [UInt8](repeating: 0, count: keyBytes)
        // SAFETY: both buffers have 32 bytes.
        privateKey.withPointer { privateKey in
            _ = crypto_scalarmult_base(&publicKey, privateKey)
        }
        return publicKey
    }
}
