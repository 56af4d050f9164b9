/// The reason why bytes from outside were refused. It contains none of these bytes.
public enum WireError: Error, Equatable, Sendable {
    /// The item extends past the end of the input.
    case truncated
    /// The CBOR type differs from the schema.
    case unexpectedType
    /// Not deterministic (RFC 8949 section 4.2.1): an argument longer than needed, an indefinite length, or unsorted
    /// map keys.
    case notDeterministic
    /// A byte string, text, array or map exceeds the limit of the schema.
    case tooLarge
    /// A number is outside the range of the schema.
    case outOfRange
    /// A text is not UTF-8 (RFC 3629).
    case invalidUTF8
    /// There are bytes after the end of the message.
    case trailingBytes
    /// Items are nested deeper than `CBORLimits.depth`.
    case tooDeep
    /// This version does not know a message or enumeration value.
    case unknown
    /// The caller's output buffer is too small for the message.
    case outputFull
}

/// Bounds for every message, independent of its schema.
public enum CBORLimits {
    /// The deepest nesting of arrays and maps, in levels.
    public static let depth = 8
    /// The most elements of an array, or pairs of a map.
    public static let elements = 1_024
}
