/// How spans reach libsodium, which takes a pointer and a length, and declares most pointers as never null.
extension RawSpan {
    /// Lends a pointer to the first of `byteCount` bytes; a valid one that must not be read when there are none.
    @inline(__always)
    package func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        // SAFETY: the pointer is for the time of the call, during which the span's owner is borrowed; any
        // initialised memory may be read as UInt8.
        withUnsafeBytes { bytes in
            if let base = bytes.baseAddress {
                return body(base.assumingMemoryBound(to: UInt8.self))
            }
            let nothing: UInt8 = 0
            return withUnsafePointer(to: nothing, body)
        }
    }
}

extension MutableRawSpan {
    /// Lends a pointer to the first of `byteCount` bytes; a valid one that must not be used when there are none.
    @inline(__always)
    package mutating func withMutablePointer<Result>(_ body: (UnsafeMutablePointer<UInt8>) -> Result) -> Result {
        // SAFETY: as above, and the span is held exclusively; any bytes that are stored are valid UInt8s.
        withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress {
                return body(base.assumingMemoryBound(to: UInt8.self))
            }
            var nothing: UInt8 = 0
            return withUnsafeMutablePointer(to: &nothing, body)
        }
    }
}

extension SecretBytes {
    /// `RawSpan.withPointer` on the bytes.
    @inline(__always)
    // SAFETY: as for spans above.
    package borrowing func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        // SAFETY: as on the span, whose owner is `self`.
        withBytes { bytes in bytes.withPointer(body) }
    }

    /// `MutableRawSpan.withMutablePointer` on the bytes.
    @inline(__always)
    // SAFETY: as for spans above.
    package mutating func withMutablePointer<Result>(_ body: (UnsafeMutablePointer<UInt8>) -> Result) -> Result {
        // SAFETY: as on the span, whose owner is `self`.
        withMutableBytes { bytes in bytes.withMutablePointer(body) }
    }
}
