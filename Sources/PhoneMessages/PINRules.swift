import Wire

/// The reasons to refuse a PIN before any try. Such a refusal spends no attempt.
public enum PINRuleViolation: Error, Equatable, Sendable {
    case notUTF8
    /// Fewer than `PINRules.scalars.lowerBound` characters.
    case tooShort
    /// More than `PINRules.scalars.upperBound` characters, or more than `PINRules.bytes` bytes.
    case tooLong
}

/// The rules for a PIN in a message. The phone has normalised the PIN (NFC); the box checks only these bounds.
public enum PINRules {
    /// The number of Unicode scalar values.
    public static let scalars = 4...32
    /// Bytes of UTF-8: 32 scalars take at most four each.
    public static let bytes = 128
    /// The most consecutive wrong PINs that any box allows. The last wrong PIN destroys the credential.
    public static let attempts: UInt8 = 10

    /// Throws if no box would try the PIN.
    public static func check(_ pin: RawSpan) throws(PINRuleViolation) {
        guard pin.byteCount <= bytes else { throw .tooLong }
        guard UTF8Validation.isValid(pin, in: 0..<pin.byteCount) else { throw .notUTF8 }
        var count = 0
        for index in 0..<pin.byteCount where pin.byte(at: index) & 0xC0 != 0x80 {
            // Every byte but a continuation (RFC 3629 section 3) starts a scalar.
            count += 1
        }
        guard count >= scalars.lowerBound else { throw .tooShort }
        guard count <= scalars.upperBound else { throw .tooLong }
    }
}
