/// The reason why a cryptographic operation failed. Contains no key, no plaintext and no position in either.
public enum SecretsError: Error, Equatable, Sendable {
    /// The memory for the operation is not available now. Nothing was changed; the caller may try again later.
    case outOfMemory
    /// A key, nonce, salt, signature or output buffer does not have the length that the algorithm needs.
    case wrongLength
    /// A public key of low order: the shared secret would be all zero (RFC 7748 section 6.1).
    case invalidPublicKey
    /// The ciphertext, its associated data or the key differs from those used for sealing.
    case authenticationFailed
    /// A password-hash cost outside what Argon2id or `PasswordHashCost` allows.
    case invalidCost
    /// A reservation of memory was used a second time; each is for one hash.
    case reservationUsed
}
