import Secrets

/// What keeps the six digits honest: the phone commits to its nonce before it hears the box's, and shows it after.
///
/// Six digits of a handshake hash alone commit to nothing: whoever answers a phone last can try some 10^6 ephemeral
/// keys until the digits are those of another handshake. Here neither side can choose: the phone's nonce is fixed when
/// the box draws its own, and the box knows the phone's only when its own is out. One guess is one try in a million,
/// and costs the code (ZRTP, RFC 6189 section 4.4.1.1; Bluetooth's numeric comparison, Core Specification, Vol 3, Part
/// H, 2.3.5.6.2; docs/decisions/005-enrolment-code.md).
public enum EnrolmentCommitment {
    /// Length of each side's nonce, in bytes.
    public static let nonceBytes = 32
    /// Length of a commitment, in bytes.
    public static let byteCount = 32

    private static let context: StaticString = "boxlink-enrol-commit-2"
    private static let digitsContext: StaticString = "boxlink-six-digits-2"

    /// SHA-256 of the context ‖ handshake hash ‖ the phone's nonce: it holds in this handshake only.
    public static func of(nonce: [UInt8], handshakeHash: [UInt8]) -> [UInt8] {
        SHA256.hash(bytes(of: context) + handshakeHash + nonce)
    }

    /// Whether the nonce that a phone shows is the one that it committed to.
    public static func holds(_ commitment: [UInt8], nonce: [UInt8], handshakeHash: [UInt8]) -> Bool {
        nonce.count == nonceBytes && commitment == of(nonce: nonce, handshakeHash: handshakeHash)
    }

    /// The six ASCII digits that phone and administrator compare.
    public static func digits(handshakeHash: [UInt8], phoneNonce: [UInt8], boxNonce: [UInt8]) -> [UInt8] {
        let hash = SHA256.hash(bytes(of: digitsContext) + handshakeHash + phoneNonce + boxNonce)
        var number = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
        var digits = [UInt8](repeating: 0, count: 6)
        for index in digits.indices.reversed() {
            digits[index] = 0x30 + UInt8(number % 10)
            number /= 10
        }
        return digits
    }

    private static func bytes(of context: StaticString) -> [UInt8] {
        context.withUTF8Buffer { [UInt8]($0) }
    }
}
