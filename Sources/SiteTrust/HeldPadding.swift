import Secrets

/// Pads a credential to hide its length in transit and at rest: length (2 bytes, big-endian), the bytes, zeros.
public enum HeldPadding {
    /// The lengths of a credential: never empty, and within the limit of PAM and crypt (docs/decisions/008-vault.md).
    public static let credentialBytes = 1...511
    public static let byteCount = 2 + credentialBytes.upperBound

    /// Returns nil for a credential that PAM could not receive unchanged.
    public static func pad(_ credential: borrowing SecretBytes) -> SecretBytes? {
        guard credentialBytes.contains(credential.count), !hasZero(credential) else { return nil }
        let count = credential.count
        var padded = SecretBytes(count: byteCount, from: credential.pool)
        padded.withMutableBytes { target in
            target.store([UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)])
            credential.withBytes { target.store($0, at: 2) }
        }
        return padded
    }

    /// Returns the credential from `offset` to the end of `content`, or nil if `pad` did not make these bytes.
    public static func unpad(_ content: borrowing SecretBytes, from offset: Int = 0) -> SecretBytes? {
        guard offset >= 0, content.count - offset == byteCount else { return nil }
        let count = Int(content.byte(at: offset)) << 8 | Int(content.byte(at: offset + 1))
        guard credentialBytes.contains(count) else { return nil }
        let credential = content.slice(offset + 2..<offset + 2 + count)
        let rest = content.slice(offset + 2 + count..<content.count)
        guard !hasZero(credential), rest.isEqual(to: SecretBytes(count: rest.count, from: content.pool)) else {
            return nil
        }
        return credential
    }

    /// Checks every byte, so that the time does not reveal the position of a zero.
    private static func hasZero(_ bytes: borrowing SecretBytes) -> Bool {
        var zeros = 0
        for index in 0..<bytes.count where bytes.byte(at: index) == 0 { zeros += 1 }
        return zeros > 0
    }
}
