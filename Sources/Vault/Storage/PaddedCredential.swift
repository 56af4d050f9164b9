import Secrets

/// The plaintext of a sealed credential: its length (2 bytes, big-endian), its bytes, then zeros. The size is constant,
/// so the database does not reveal the length of a password.
enum PaddedCredential {
    static let byteCount = 2 + 511

    /// `credential` has at most 511 bytes.
    static func pad(_ credential: borrowing SecretBytes) -> SecretBytes {
        let count = credential.count
        var padded = SecretBytes(count: byteCount)
        padded.withMutableBytes { target in
            target.storeBytes(of: UInt8(truncatingIfNeeded: count >> 8), toByteOffset: 0, as: UInt8.self)
            target.storeBytes(of: UInt8(truncatingIfNeeded: count), toByteOffset: 1, as: UInt8.self)
            credential.withBytes { source in
                for index in 0..<source.byteCount {
                    target.storeBytes(of: byte(source, index), toByteOffset: 2 + index, as: UInt8.self)
                }
            }
        }
        return padded
    }

    /// Returns nil if `pad` did not make this value.
    static func unpad(_ padded: borrowing SecretBytes) -> SecretBytes? {
        guard padded.count == byteCount else { return nil }
        let count = padded.withBytes { bytes in Int(byte(bytes, 0)) << 8 | Int(byte(bytes, 1)) }
        guard SecretBounds.credentialBytes.contains(count) else { return nil }
        return padded.slice(2..<2 + count)
    }

    static func byte(_ bytes: RawSpan, _ index: Int) -> UInt8 {
        // SAFETY: every bit pattern is a UInt8, and the span checks the offset.
        bytes.unsafeLoad(fromByteOffset: index, as: UInt8.self)
    }
}
