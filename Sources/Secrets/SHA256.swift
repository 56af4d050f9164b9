import CSodium

/// SHA-256 (FIPS 180-4), for values that are not secret.
public enum SHA256 {
    /// Length of a digest, in bytes.
    public static let digestBytes = 32

    public static func hash(_ message: [UInt8]) -> [UInt8] {
        hash(message.span.bytes)
    }

    public static func hash(_ message: RawSpan) -> [UInt8] {
        Sodium.start()
        // SAFETY: the output has room for a digest, and libsodium reads exactly `byteCount` bytes.
        var digest = [UInt8](repeating: 0, count: digestBytes)
        message.withPointer { input in
            _ = crypto_hash_sha256(&digest, input, UInt64(message.byteCount))
        }
        return digest
    }
}
