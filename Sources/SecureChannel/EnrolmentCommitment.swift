import Secrets

/// Protects the six digits: the phone commits to its nonce before it has the box's nonce, and reveals its own later.
///
/// Six digits of a handshake hash alone would not suffice. An attacker who answers a phone last could try some 10^6
/// ephemeral keys until the digits match those of another handshake. Here neither side can choose. The phone's nonce is
/// fixed when the box draws its own, and the box learns the phone's only after sending its own. One guess succeeds once
/// in a million, and costs the code (ZRTP, RFC 6189 section 4.4.1.1; Bluetooth's numeric comparison, Core
/// Specification, Vol 3, Part H, 2.3.5.6.2; docs/decisions/005-enrolment-code.md).
public enum EnrolmentCommitment {
    /// Length of each side's nonce, in bytes.
    public static let nonceBytes = 32
    /// Length of a commitment, in bytes.
    public static let byteCount = 32

    private static let context: StaticString = "boxlink-enrol-commit-2"
    private static let digitsContext: StaticString = "boxlink-six-digits-2"

    /// Returns the commitment for this handshake only: SHA-256 of the context ‖ handshake hash ‖ the phone's nonce.
    public static func of(nonce: [UInt8], handshakeHash: [UInt8]) -> [UInt8] {
        SHA256.hash(bytes(of: context) + handshakeHash + nonce)
    }

    /// Returns whether a phone revealed the nonce that it committed to.
    public static func holds(_ commitment: [UInt8], nonce: [UInt8], handshakeHash: [UInt8]) -> Bool {
        nonce.count == nonceBytes && commitment == of(nonce: nonce, handshakeHash: handshakeHash)
    }

    /// Returns the six ASCII digits that phone and administrator compare.
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
