/// Encodes values as JSON (RFC 8259), with exactly the characters that FoundationEssentials writes.
public final class JSONEncoder {
    public struct OutputFormatting: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) {
            self.rawValue = rawValue
        }

        /// Writes one value on a line, with an indent of two spaces for each level.
        public static let prettyPrinted = OutputFormatting(rawValue: 1)
        /// Sorts records by the bytes of their keys instead of the order of encoding.
        public static let sortedKeys = OutputFormatting(rawValue: 2)
    }

    public var outputFormatting: OutputFormatting = []

    public init() {}

    /// Throws the errors of the value's own encoding, and `EncodingError` for numbers that JSON cannot represent.
    public func encode(_ value: some Encodable) throws -> Data {
        let node = JSONNode()
        try node.encode(value, at: [])
        var text = JSONText(formatting: outputFormatting)
        text.write(node, depth: 0)
        return Data(bytes: Array(text.text.utf8))
    }
}
