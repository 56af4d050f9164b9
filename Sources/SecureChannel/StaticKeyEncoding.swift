/// The encodings of static keys. X25519 ignores the top bit and reduces modulo 2^255 - 19 (RFC 7748 section 5), so that
/// some points have several encodings. Static keys are compared byte by byte; each has one encoding here.
enum StaticKeyEncoding {
    /// Tells if these are 32 bytes of a number below 2^255 - 19, little-endian.
    static func isCanonical(_ key: [UInt8]) -> Bool {
        guard key.count == HandshakeSizes.key, let first = key.first, let last = key.last else { return false }
        let isLarge = last == 0x7F && first >= 0xED && key.dropFirst().dropLast().allSatisfy { $0 == 0xFF }
        return last <= 0x7F && !isLarge
    }
}
