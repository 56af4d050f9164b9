import CSodium

/// libsodium's plain functions, as the baseline of the handshake benchmark. Only the benchmark uses them.
///
/// Nothing is checked, wiped or guarded here: each buffer must have the length that its function documents. The
/// benchmark's buffers have 256 bytes.
package enum BarePrimitives {
    /// Makes 32 random bytes and their public key, also of 32 bytes.
    package static func makeKeyPair(_ privateKey: UnsafeMutablePointer<UInt8>, _ publicKey: UnsafeMutablePointer<UInt8>)
    {
        // SAFETY: the caller keeps to the lengths above.
        randombytes_buf(privateKey, 32)
        _ = crypto_scalarmult_base(publicKey, privateKey)
    }

    /// Computes X25519; all buffers have 32 bytes.
    package static func agree(
        _ shared: UnsafeMutablePointer<UInt8>, _ privateKey: UnsafePointer<UInt8>, _ publicKey: UnsafePointer<UInt8>
    ) {
        // SAFETY: the caller keeps to the lengths above.
        _ = crypto_scalarmult(shared, privateKey, publicKey)
    }

    /// Writes the SHA-256 of `count` bytes into 32 bytes.
    package static func hash(_ digest: UnsafeMutablePointer<UInt8>, _ message: UnsafePointer<UInt8>, _ count: Int) {
        // SAFETY: the caller keeps to the lengths above.
        _ = crypto_hash_sha256(digest, message, UInt64(count))
    }

    /// Writes the HMAC-SHA-256 of `count` bytes, with a key of 32 bytes, into 32 bytes.
    package static func authenticationCode(
        _ code: UnsafeMutablePointer<UInt8>, _ message: UnsafePointer<UInt8>, _ count: Int, _ key: UnsafePointer<UInt8>
    ) {
        // SAFETY: the caller keeps to the lengths above.
        _ = crypto_auth_hmacsha256(code, message, UInt64(count), key)
    }

    /// Seals `count` bytes by XChaCha20-Poly1305 with 32 bytes of associated data, a 24-byte nonce and a 32-byte key.
    package static func seal(
        _ sealed: UnsafeMutablePointer<UInt8>, _ plaintext: UnsafePointer<UInt8>, _ count: Int,
        _ data: UnsafePointer<UInt8>, _ nonce: UnsafePointer<UInt8>, _ key: UnsafePointer<UInt8>
    ) {
        // SAFETY: the caller keeps to the lengths above.
        _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
            sealed, nil, plaintext, UInt64(count), data, 32, nil, nonce, key)
    }

    /// Reverses `seal`; `count` includes the 16-byte tag.
    package static func open(
        _ plaintext: UnsafeMutablePointer<UInt8>, _ sealed: UnsafePointer<UInt8>, _ count: Int,
        _ data: UnsafePointer<UInt8>, _ nonce: UnsafePointer<UInt8>, _ key: UnsafePointer<UInt8>
    ) -> Bool {
        // SAFETY: the caller keeps to the lengths above.
        crypto_aead_xchacha20poly1305_ietf_decrypt(
            plaintext, nil, nil, sealed, UInt64(count), data, 32, nonce, key) == 0
    }
}
