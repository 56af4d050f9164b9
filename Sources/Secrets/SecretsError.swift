/// Why a cryptographic operation was refused. Carries no key, no plaintext and no position in either.
public enum SecretsError: Error, Equatable, Sendable {
    /// The memory that the operation needs cannot be had now. Nothing was changed; trying again later is safe.
    case outOfMemory
    /// A key, nonce, salt, signature or output buffer has another length than the algorithm asks for.
    case wrongLength
    /// A public key of low order: the shared secret would be all zero (RFC 7748 section 6.1).
    case invalidPublicKey
    /// The ciphertext, its associated data or the key is not the one that was used for sealing.
    case authenticationFailed
    /// A password-hash cost outside what Argon2id or `PasswordHashCost` allows.
    case invalidCost
    /// A reservation of memory was used a second time; each serves one hash.
    case reservationUsed
}
