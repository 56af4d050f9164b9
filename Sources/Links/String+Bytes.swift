// The phone core compares and copies texts by their bytes. String's own operations use Unicode equivalence, whose
// tables are too large for the web page (docs/decisions/031-phone-core.md).
extension String {
    /// Creates a text from UTF-8 bytes. The text is empty if the bytes are not valid UTF-8.
    @inline(never)
    public init(bytes: [UInt8]) { self = String(validating: bytes, as: UTF8.self) ?? "" }

    @inline(never)
    public var bytes: [UInt8] {
        let view = utf8
        let span = view.span
        var bytes: [UInt8] = []
        bytes.reserveCapacity(span.count)
        for index in span.indices { bytes.append(span[index]) }
        return bytes
    }

    /// Returns whether two texts have the same bytes.
    @inline(never)
    public func hasBytes(of other: String) -> Bool { bytes == other.bytes }

    /// Returns whether the text's bytes sort before those of another text.
    @inline(never)
    public func precedes(_ other: String) -> Bool { bytes.lexicographicallyPrecedes(other.bytes) }
}
