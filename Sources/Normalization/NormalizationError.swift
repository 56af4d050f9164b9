/// Why a text cannot be a PIN. `description` is for people: what is wrong, and what to do.
public enum NormalizationError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Longer than `PINNormalizer.inputBytesLimit`.
    case tooLong
    /// Not UTF-8 (RFC 3629).
    case invalidUTF8
    /// NUL, another control character, or a line or paragraph separator.
    case controlCharacter
    /// A code point that the Unicode version in use does not know: a later one may normalise it otherwise, and
    /// the PIN would no longer fit.
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
