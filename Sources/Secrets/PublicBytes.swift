/// Moving what is not secret between arrays and spans.
extension [UInt8] {
    /// A copy of `source`.
    public init(copying source: RawSpan) {
        self = []
        append(copying: source)
    }

    /// Appends a copy of `source`.
    public mutating func append(copying source: RawSpan) {
        // SAFETY: the pointer is valid for the `byteCount` bytes of the span during the call.
        source.withPointer { bytes in
            append(contentsOf: UnsafeBufferPointer(start: bytes, count: source.byteCount))
        }
    }
}
