import CSodium

/// HMAC-SHA256 (RFC 2104, test vectors in RFC 4231), with keys of any length.
public enum HMACSHA256 {
    /// Length of an authentication code, in bytes.
    public static let codeBytes = 32

    /// The code of `message` under `key`. The code is not treated as a secret; HKDF's outputs are: see
    /// `SecretArena`.
    public static func authenticationCode(of message: [UInt8], key: borrowing SecretBytes) -> [UInt8] {
        Sodium.start()
        var code = [UInt8](repeating: 0, count: codeBytes)
        let keyCount = key.count
        // SAFETY: every pointer is passed with the length of its own buffer; the state is initialised by the
        // first call and wiped by the last.
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
