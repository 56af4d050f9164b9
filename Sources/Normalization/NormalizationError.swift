/// The reason why a text cannot be a PIN. `description` tells the user the problem and the cure.
public enum NormalizationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text is longer than `PINNormalizer.inputBytesLimit`.
    case tooLong
    /// The text is not UTF-8 (RFC 3629).
    case invalidUTF8
    /// The text has NUL, another control character, or a line or paragraph separator.
    case controlCharacter
    /// The text has a code point that this Unicode version does not know. A later version may normalise it differently,
    /// and the PIN would no longer match.
    case unassignedCharacter

    public var description: String {
        switch self {
        case .tooLong:
            "this PIN is too long; use at most 32 characters"
        case .invalidUTF8:
            "this PIN is not valid UTF-8 text; check the terminal's character set, or use only digits"
        case .controlCharacter:
            "this PIN has a control character, such as a tab; type the PIN again without it"
        case .unassignedCharacter:
            "this PIN has a character that this program does not support; use another one"
        }
    }
}
