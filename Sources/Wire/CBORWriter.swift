/// A writing position in deterministic CBOR (RFC 8949 section 4.2.1).
///
/// The writer holds no bytes. Each call gets the caller's buffer, which the owner of a secret wipes.
public struct CBORWriter: Sendable {
    /// The number of bytes written.
    public private(set) var offset: Int

    public init(offset: Int = 0) {
        self.offset = offset
    }

    public mutating func writeUnsigned(_ value: UInt64, to output: inout MutableRawSpan) throws(WireError) {
        try writeHead(.unsigned, value, to: &output)
    }

    public mutating func writeInteger(_ value: Int64, to output: inout MutableRawSpan) throws(WireError) {
        if value >= 0 {
            try writeHead(.unsigned, UInt64(value), to: &output)
        } else {
            try writeHead(.negative, UInt64(-1 - value), to: &output)
        }
    }

    public mutating func writeBytes(_ value: RawSpan, to output: inout MutableRawSpan) throws(WireError) {
        try writeHead(.bytes, UInt64(value.byteCount), to: &output)
        try writeRaw(value, to: &output)
    }

    public mutating func writeBytes(_ value: [UInt8], to output: inout MutableRawSpan) throws(WireError) {
        try writeHead(.bytes, UInt64(value.count), to: &output)
        try writeRaw(value, to: &output)
    }

    /// Writes a text from its UTF-8 bytes.
    public mutating func writeText(_ utf8: [UInt8], to output: inout MutableRawSpan) throws(WireError) {
        guard utf8.withRawSpan({ UTF8Validation.isValid($0, in: 0..<utf8.count) }) else { throw .invalidUTF8 }
        try writeHead(.text, UInt64(utf8.count), to: &output)
        try writeRaw(utf8, to: &output)
    }

    /// Writes a secret text from its UTF-8 bytes, which stay in their owner's buffer.
    public mutating func writeText(_ utf8: RawSpan, to output: inout MutableRawSpan) throws(WireError) {
        guard UTF8Validation.isValid(utf8, in: 0..<utf8.byteCount) else { throw .invalidUTF8 }
        try writeHead(.text, UInt64(utf8.byteCount), to: &output)
        try writeRaw(utf8, to: &output)
    }

    public mutating func writeArrayHeader(_ count: Int, to output: inout MutableRawSpan) throws(WireError) {
        try writeCount(.array, count, to: &output)
    }

    public mutating func writeMapHeader(_ count: Int, to output: inout MutableRawSpan) throws(WireError) {
        try writeCount(.map, count, to: &output)
    }

    public mutating func writeBool(_ value: Bool, to output: inout MutableRawSpan) throws(WireError) {
        try writeByte(value ? 0xF5 : 0xF4, to: &output)
    }

    public mutating func writeNull(to output: inout MutableRawSpan) throws(WireError) {
        try writeByte(0xF6, to: &output)
    }

    private mutating func writeCount(
        _ type: CBORType, _ count: Int, to output: inout MutableRawSpan
    ) throws(WireError) {
        guard count >= 0, count <= CBORLimits.elements else { throw .tooLarge }
        try writeHead(type, UInt64(count), to: &output)
    }

    private mutating func writeHead(
        _ type: CBORType, _ argument: UInt64, to output: inout MutableRawSpan
    ) throws(WireError) {
        let major = type.rawValue << 5
        let width: Int
        switch argument {
        case 0..<24: return try writeByte(major | UInt8(truncatingIfNeeded: argument), to: &output)
        case 24...0xFF: width = 1
        case 0x100...0xFFFF: width = 2
        case 0x1_0000...0xFFFF_FFFF: width = 4
        default: width = 8
        }
        try writeByte(major | UInt8(24 + width.trailingZeroBitCount), to: &output)
        var shift = 8 * (width - 1)
        while shift >= 0 {
            try writeByte(UInt8(truncatingIfNeeded: argument >> UInt64(shift)), to: &output)
            shift -= 8
        }
    }

    private mutating func writeByte(_ byte: UInt8, to output: inout MutableRawSpan) throws(WireError) {
        guard offset >= 0, offset < output.byteCount else { throw .outputFull }
        output.setByte(byte, at: offset)
        offset += 1
    }

    private mutating func writeRaw(_ value: RawSpan, to output: inout MutableRawSpan) throws(WireError) {
        guard offset >= 0, value.byteCount <= output.byteCount - offset else { throw .outputFull }
        // SAFETY: both buffers are lent for the call, and the bytes fit after `offset`, as checked above.
        unsafe output.withUnsafeMutableBytes { target in
            unsafe value.withUnsafeBytes { bytes in
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[offset...]).copyMemory(from: bytes)
            }
        }
        offset += value.byteCount
    }

    private mutating func writeRaw(_ value: [UInt8], to output: inout MutableRawSpan) throws(WireError) {
        let elements = value.span
        // SAFETY: all bytes of a UInt8 are initialised, and `value` outlives the call.
        try writeRaw(unsafe elements.bytes, to: &output)
    }
}
