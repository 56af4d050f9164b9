import CSodium

/// Ed25519 signatures (RFC 8032) over a context and a message.
///
/// The signed bytes are one byte with the context's length, the context, then the message. So a signature made for one
/// purpose never verifies for another. (libsodium does not offer RFC 8032's Ed25519ctx.)
public enum Ed25519 {
    /// Length of a public key and of a seed, in bytes.
    public static let keyBytes = 32
    /// Length of a signature, in bytes.
    public static let signatureBytes = 64
    /// Longest context, in bytes.
    public static let contextBytesLimit = 255

    /// Returns whether `signature` (64 bytes) is by `publicKey` (32 bytes) over `context` and `message`. A signature or
    /// key of another length returns false.
    public static func verify(
        signature: [UInt8], context: StaticString, message: [UInt8], publicKey: [UInt8]
    ) -> Bool {
        verify(signature: signature, bytes: signedBytes(context: context, message: message), publicKey: publicKey)
    }

    /// Verifies plain Ed25519 over `bytes`, for the published test vectors.
    static func verify(signature: [UInt8], bytes: [UInt8], publicKey: [UInt8]) -> Bool {
        guard signature.count == signatureBytes, publicKey.count == keyBytes else { return false }
        Sodium.start()
        // SAFETY: the lengths that libsodium relies on are checked above.
        return crypto_sign_verify_detached(signature, bytes, UInt64(bytes.count), publicKey) == 0
    }

    static func signedBytes(context: StaticString, message: [UInt8]) -> [UInt8] {
        precondition(context.utf8CodeUnitCount <= contextBytesLimit, "a signature context over 255 bytes")
        var bytes: [UInt8] = [UInt8(context.utf8CodeUnitCount)]
        bytes.reserveCapacity(1 + context.utf8CodeUnitCount + message.count)
        // SAFETY: a StaticString's start and count describe bytes that live as long as the program.
        bytes.append(contentsOf: UnsafeBufferPointer(start: context.utf8Start, count: context.utf8CodeUnitCount))
        bytes.append(contentsOf: message)
        return bytes
    }
}
