import CSodium

/// libsodium's functions as they are, for the handshake benchmark only: what a handshake is measured against.
///
/// Nothing is checked, wiped or guarded here: each buffer must have the length that its function says. The
/// benchmark's have 256 bytes.
package enum BarePrimitives {
    /// 32 random bytes, then their public key, both of 32 bytes.
    package static func makeKeyPair(_ privateKey: UnsafeMutablePointer<UInt8>, _ publicKey: UnsafeMutablePointer<UInt8>)
    {
        // SAFETY: the caller keeps to the lengths above.
        randombytes_buf(privateKey, 32)
        _ = crypto_scalarmult_base(publicKey, privateKey)
    }

    /// X25519 of buffers of 32 bytes.
    package static func agree(
        _ shared: UnsafeMutablePointer<UInt8>, _ privateKey: UnsafePointer<UInt8>, _ publicKey: UnsafePointer<UInt8>
    ) {
        // SAFETY: the caller keeps to the lengths above.
        _ = crypto_scalarmult(shared, privateKey, publicKey)
    }

    /// SHA-256 of `count` bytes into 32.
    package static func hash(_ digest: UnsafeMutablePointer<UInt8>, _ message: UnsafePointer<UInt8>, _ count: Int) {
        // SAFETY: the caller keeps to the lengths above.
        _ = crypto_hash_sha256(digest, message, UInt64(count))
    }

    /// HMAC-SHA-256 of `count` bytes with a key of 32 bytes into 32.
    package static func authenticationCode(
        _ code: UnsafeMutablePointer<UInt8>, _ message: UnsafePointer<UInt8>, _ count: Int, _ key: UnsafePointer<UInt8>
    ) {
        // SAFETY: the caller keeps to the lengths above.
        _ = crypto_auth_hmacsha256(code, message, UInt64(count), key)
    }

    /// XChaCha20-Poly1305 of `count` bytes with 32 bytes of associated data, a nonce of 24 and a key of 32.
    package static func seal(
        _ sealed: UnsafeMutablePointer<UInt8>, _ plaintext: UnsafePointer<UInt8>, _ count: Int,
        _ data: UnsafePointer<UInt8>, _ nonce: UnsafePointer<UInt8>, _ key: UnsafePointer<UInt8>
    ) {
        // SAFETY: the caller keeps to the lengths above.
        _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
            sealed, nil, plaintext, UInt64(count), data, 32, nil, nonce, key)
    }

    /// The reverse of `seal`; `count` includes the tag of 16 bytes.
    package static func open(
        _ plaintext: UnsafeMutablePointer<UInt8>, _ sealed: UnsafePointer<UInt8>, _ count: Int,
        _ data: UnsafePointer<UInt8>, _ nonce: UnsafePointer<UInt8>, _ key: UnsafePointer<UInt8>
    ) -> Bool {
        // SAFETY: the caller keeps to the lengths above.
        crypto_aead_xchacha20poly1305_ietf_decrypt(
            plaintext, nil, nil, sealed, UInt64(count), data, 32, nonce, key) == 0
    }
}
