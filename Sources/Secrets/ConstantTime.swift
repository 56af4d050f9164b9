import CSodium

/// Compares values such as code ids and tags. They are not keys, but an attacker must not guess them byte by byte.
public enum ConstantTime {
    /// Returns whether both hold the same bytes, in a time that depends on the lengths only.
    public static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        // SAFETY: both buffers hold `left.count` bytes.
        return left.withUnsafeBytes { first in
            right.withUnsafeBytes { second in
                guard let one = first.baseAddress, let other = second.baseAddress else { return true }
                return sodium_memcmp(one, other, first.count) == 0
            }
        }
    }
}
