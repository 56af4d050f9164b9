/// An authenticated cipher with 32-byte keys and 16-byte tags, as Noise's CipherState and the vault use it.
///
/// Every function checks all lengths and throws `wrongLength`. A nonce must never be used twice with one key: the
/// callers count, or draw 24 random bytes.
public protocol AEADSuite: Sendable {
    /// The cipher's part of a Noise protocol name.
    static var noiseName: StaticString { get }
    /// Length of a nonce, in bytes.
    static var nonceBytes: Int { get }

    /// Seals in place. On entry, `buffer` holds from `offset` on the plaintext, then `tagBytes` bytes of any content.
    /// On return, it holds the ciphertext and the tag. The bytes before `offset` do not change.
    static func sealInPlace(
        _ buffer: inout MutableRawSpan, from offset: Int, key: RawSpan, nonce: RawSpan, associatedData: RawSpan
    ) throws(SecretsError)

    /// Opens `sealed` into `plaintext`, which is exactly `tagBytes` shorter. On failure, `plaintext` is all zeros.
    static func open(
        _ sealed: RawSpan, key: RawSpan, nonce: RawSpan, associatedData: RawSpan,
        into plaintext: inout MutableRawSpan
    ) throws(SecretsError)
}

extension AEADSuite {
    /// Length of a key, in bytes.
    public static var keyBytes: Int { 32 }
    /// Length of a tag, in bytes.
    public static var tagBytes: Int { 16 }

    /// Seals `plaintext` under a nonce that the caller has never used with `key`. The result is `tagBytes` longer.
    public static func seal(
        _ plaintext: RawSpan, key: RawSpan, nonce: RawSpan, associatedData: RawSpan
    ) throws(SecretsError) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: plaintext.byteCount + tagBytes)
        var span = sealed.mutableSpan
        var bytes = span.mutableBytes
        bytes.store(plaintext)
        try sealInPlace(&bytes, from: 0, key: key, nonce: nonce, associatedData: associatedData)
        return sealed
    }

    /// Opens the result of `seal`, into a region of `pool` if it fits.
    public static func open(
        _ sealed: RawSpan, key: RawSpan, nonce: RawSpan, associatedData: RawSpan, from pool: SecretArenaPool? = nil
    ) throws(SecretsError) -> SecretBytes {
        guard sealed.byteCount >= tagBytes else { throw .authenticationFailed }
        var plaintext = SecretBytes(count: sealed.byteCount - tagBytes, from: pool)
        try plaintext.withMutableBytes { (bytes) throws(SecretsError) in
            try open(sealed, key: key, nonce: nonce, associatedData: associatedData, into: &bytes)
        }
        return plaintext
    }
}
