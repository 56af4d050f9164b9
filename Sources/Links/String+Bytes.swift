// Texts of the phone's core are compared and copied by their bytes. What a String does by itself goes by what Unicode calls the same,
// with tables that the page has no room for (docs/decisions/031-phone-core.md).
extension String {
    /// The text of bytes that are UTF-8; empty where they are not.
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

    /// Whether two texts have the same bytes.
    @inline(never)
    public func hasBytes(of other: String) -> Bool { bytes == other.bytes }

    /// Whether it comes before another text, by its bytes.
    @inline(never)
    public func precedes(_ other: String) -> Bool { bytes.lexicographicallyPrecedes(other.bytes) }
}
