import CSodium
import Secrets

/// Argon2id version 1.3 (RFC 9106) with one lane, as libsodium implements it.
public enum PasswordHash {
    /// Length of a salt, in bytes.
    public static let saltBytes = 16
    /// Length of a hash, in bytes.
    public static let hashBytes = 32

    /// Reserves the memory for a hash of `cost`, or throws `outOfMemory`. Call it before a PIN try is spent.
    public static func reserve(_ cost: PasswordHashCost) throws(SecretsError) -> Reservation {
        try Reservation(cost: cost)
    }

    /// Computes one hash, in memory that libsodium allocates.
    static func hash(
        _ password: borrowing SecretBytes, salt: [UInt8], cost: PasswordHashCost, hashBytes: Int = Self.hashBytes
    ) throws(SecretsError) -> SecretBytes {
        guard salt.count == saltBytes else { throw .wrongLength }
        Sodium.start()
        var result = SecretBytes(count: hashBytes)
        let passwordCount = password.count
        // SAFETY: password and result come with their lengths, and the salt has the 16 bytes that libsodium expects.
        let status = password.withPointer { password in
            result.withMutablePointer { result in
                password.withMemoryRebound(to: CChar.self, capacity: max(passwordCount, 1)) { password in
                    crypto_pwhash_argon2id(
                        result, UInt64(hashBytes), password, UInt64(passwordCount), salt, UInt64(cost.passes),
                        Int(cost.memoryKiB) * 1_024, crypto_pwhash_ALG_ARGON2ID13)
                }
            }
        }
        // libsodium's only other error is a parameter out of range, which `PasswordHashCost` rules out.
        guard status == 0 else { throw .outOfMemory }
        return result
    }

    /// Returns the time that one hash of `cost` takes.
    static func measure(_ cost: PasswordHashCost) throws(SecretsError) -> Duration {
        let password = SecretBytes(randomCount: 8)
        let salt = randomBytes(count: saltBytes)
        let clock = ContinuousClock()
        let start = clock.now
        _ = try hash(password, salt: salt, cost: cost)
        return clock.now - start
    }
}
