/// Why bytes from outside were refused. Carries positions and limits, never content.
public enum WireError: Error, Equatable, Sendable {
    /// The item reaches past the end of the input.
    case truncated
    /// Another CBOR type than the schema asks for.
    case unexpectedType
    /// An encoding RFC 8949 section 4.2.1 does not allow: a longer argument than needed, an indefinite
    /// length, map keys out of order.
    case notDeterministic
    /// A byte string, text, array or map over the limit that the schema sets.
    case tooLarge
    /// A number outside the range that the schema sets.
    case outOfRange
    /// A text that is not UTF-8 (RFC 3629).
    case invalidUTF8
    /// Bytes after the end of the message.
    case trailingBytes
    /// Nested deeper than `CBORLimits.depth`.
    case tooDeep
    /// A message or enumeration value that this version does not know.
    case unknown
    /// The caller's output buffer is too small for the message.
    case outputFull
}

/// Bounds that hold for every message, whatever its schema says.
public enum CBORLimits {
    /// Arrays and maps inside one another, in levels.
    public static let depth = 8
    /// Elements of one array, or pairs of one map.
    public static let elements = 1_024
}
