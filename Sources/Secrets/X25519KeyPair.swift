import CSodium

/// A key pair for X25519 (RFC 7748). The private key stays in guarded memory.
public struct X25519KeyPair: ~Copyable, Sendable {
    /// Length of public keys, private keys and shared secrets, in bytes.
    public static let keyBytes = 32

    public let publicKey: [UInt8]
    private let privateKey: SecretBytes

    /// Makes a random key pair.
    public init() {
        let key = SecretBytes(randomCount: Self.keyBytes)
        publicKey = Self.publicKey(for: key)
        privateKey = key
    }

    /// Derives the key pair from a stored private key of 32 bytes.
    public init(privateKey: consuming SecretBytes) throws(SecretsError) {
        guard privateKey.count == Self.keyBytes else { throw .wrongLength }
        publicKey = Self.publicKey(for: privateKey)
        self.privateKey = privateKey
    }

    /// Lends the private key's 32 bytes, to store them sealed or to copy them into a `SecretArena`.
    public borrowing func withPrivateKey<Result: ~Copyable, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try privateKey.withBytes(body)
    }

    /// Returns the shared secret with another party's public key of 32 bytes. Throws for a public key of low order.
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

    /// Returns whether these are 32 bytes of a number below 2^255 - 19, little-endian.
    ///
    /// X25519 ignores the top bit and reduces modulo 2^255 - 19 (RFC 7748 section 5), so a point may have several
    /// encodings. Public keys identify phones, boxes and servers byte by byte. So only one encoding is accepted.
    public static func isPublicKey(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == keyBytes, let first = bytes.first, let last = bytes.last else { return false }
        return last < 0x7F || last == 0x7F && (first < 0xED || bytes[1..<31].contains { $0 != 0xFF })
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
