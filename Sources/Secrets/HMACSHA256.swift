import CSodium

/// HMAC-SHA256 (RFC 2104, test vectors in RFC 4231), with keys of any length.
public enum HMACSHA256 {
    /// Length of an authentication code, in bytes.
    public static let codeBytes = 32

    /// Returns the code of `message` under `key`. The code is not treated as a secret, unlike HKDF's outputs
    /// (`SecretArena`).
    public static func authenticationCode(of message: [UInt8], key: borrowing SecretBytes) -> [UInt8] {
        Sodium.start()
        var code = [UInt8](repeating: 0, count: codeBytes)
        let keyCount = key.count
        // SAFETY: every pointer comes with its buffer's length. The first call initialises the state; the last one
        // wipes it.
        key.withPointer { key in
            var state = crypto_auth_hmacsha256_state()
            crypto_auth_hmacsha256_init(&state, key, keyCount)
            crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
            crypto_auth_hmacsha256_final(&state, &code)
            sodium_memzero(&state, MemoryLayout<crypto_auth_hmacsha256_state>.size)
        }
        return code
    }
}
