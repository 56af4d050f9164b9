/// Copies bytes that are not secret out of spans.
extension [UInt8] {
    /// Copies `source`.
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

extension MutableRawSpan {
    /// Copies all of `source` to `offset`; it must fit.
    public mutating func store(_ source: [UInt8], at offset: Int = 0) {
        store(source.span.bytes, at: offset)
    }

    /// Copies all of `source` to `offset`; it must fit.
    public mutating func store(_ source: RawSpan, at offset: Int = 0) {
        precondition(
            offset >= 0 && source.byteCount <= byteCount - offset, "the bytes do not fit into the span at this offset"
        )
        // SAFETY: the lengths were checked; an exclusive target cannot overlap a borrowed source.
        withMutablePointer { target in
            source.withPointer { bytes in (target + offset).update(from: bytes, count: source.byteCount) }
        }
    }
}
