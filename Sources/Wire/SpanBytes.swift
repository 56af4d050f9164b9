extension RawSpan {
    /// Returns the byte at `index`. The span itself checks the bound.
    @inline(__always)
    public func byte(at index: Int) -> UInt8 {
        // SAFETY: bounds-checked, and every bit pattern is a UInt8. The call is unsafe only for types with invalid bit
        // patterns.
        unsafe unsafeLoad(fromByteOffset: index, as: UInt8.self)
    }

    /// Copies the bytes in `range`, which must not be secret.
    public func copy(_ range: Range<Int>) -> [UInt8] {
        // SAFETY: `extracting` checks the bounds, and the bytes are copied while they are lent.
        unsafe extracting(range).withUnsafeBytes { unsafe [UInt8]($0) }
    }
}

extension MutableRawSpan {
    @inline(__always)
    mutating func setByte(_ byte: UInt8, at index: Int) {
        storeBytes(of: byte, toByteOffset: index, as: UInt8.self)
    }
}

extension [UInt8] {
    /// Lends the elements as a span for reading. They must not be secret.
    @inline(__always)
    public func withRawSpan<Result, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // SAFETY: all bytes of a UInt8 are initialised, and the span cannot outlive `self`.
        unsafe try body(span.bytes)
    }

    /// Encodes a message without secrets into a new array of at most `limit` bytes. `body` returns the length.
    public static func encoding<Failure: Error>(
        limit: Int, _ body: (inout MutableRawSpan) throws(Failure) -> Int
    ) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Swift.max(0, limit))
        var span = bytes.mutableSpan
        // SAFETY: any stored bytes are valid elements of an array of UInt8.
        var raw = unsafe span.mutableBytes
        let count = try body(&raw)
        bytes.removeLast(Swift.max(0, bytes.count - Swift.max(0, count)))
        return bytes
    }
}
