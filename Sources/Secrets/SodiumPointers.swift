/// Passes spans to libsodium, which takes a pointer and a length and declares most pointers non-null.
extension RawSpan {
    /// Lends a valid pointer to the first of `byteCount` bytes. If there are none, the pointer must not be read.
    @inline(__always)
    package func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        // SAFETY: the pointer is valid during the call, which borrows the owner. Initialised memory may be read as
        // UInt8.
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
    /// Lends a valid pointer to the first of `byteCount` bytes. If there are none, the pointer must not be used.
    @inline(__always)
    package mutating func withMutablePointer<Result>(_ body: (UnsafeMutablePointer<UInt8>) -> Result) -> Result {
        // SAFETY: as above, and the span is held exclusively; all stored bytes are valid UInt8 values.
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
    /// Calls `RawSpan.withPointer` on the bytes.
    @inline(__always)
    // SAFETY: as for spans above.
    package borrowing func withPointer<Result>(_ body: (UnsafePointer<UInt8>) -> Result) -> Result {
        // SAFETY: as for the span, whose owner is `self`.
        withBytes { bytes in bytes.withPointer(body) }
    }

    /// Calls `MutableRawSpan.withMutablePointer` on the bytes.
    @inline(__always)
    // SAFETY: as for spans above.
    package mutating func withMutablePointer<Result>(_ body: (UnsafeMutablePointer<UInt8>) -> Result) -> Result {
        // SAFETY: as for the span, whose owner is `self`.
        withMutableBytes { bytes in bytes.withMutablePointer(body) }
    }
}
