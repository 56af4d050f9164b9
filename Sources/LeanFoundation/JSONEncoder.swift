/// Writes what is Encodable as JSON (RFC 8259), character for character as FoundationEssentials does.
public final class JSONEncoder {
    public struct OutputFormatting: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// One value a line, indented by two spaces for each level.
        public static let prettyPrinted = OutputFormatting(rawValue: 1)
        /// Records in the order of their keys' bytes, not in that of encoding.
        public static let sortedKeys = OutputFormatting(rawValue: 2)
    }

    public var outputFormatting: OutputFormatting = []

    public init() {}

    /// Throws what the value's own encoding throws, and `EncodingError` for numbers that JSON has none for.
    public func encode(_ value: some Encodable) throws -> Data {
        let node = JSONNode()
        try node.encode(value, at: [])
        var text = JSONText(formatting: outputFormatting)
        text.write(node, depth: 0)
        return Data(bytes: Array(text.text.utf8))
    }
}
