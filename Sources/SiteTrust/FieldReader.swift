/// Reads the fields of a fixed layout in order.
package struct FieldReader {
    private let bytes: [UInt8]
    private var at = 0

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package mutating func take(_ count: Int) throws(SiteError) -> [UInt8] {
        guard count >= 0, count <= bytes.count - at else { throw .wrongLength }
        defer { at += count }
        return [UInt8](bytes[at..<at + count])
    }

    /// True if all bytes have been read.
    package var isAtEnd: Bool { at == bytes.count }
    /// The number of bytes left.
    package var rest: Int { bytes.count - at }

    package mutating func byte() throws(SiteError) -> UInt8 {
        guard at < bytes.count else { throw .wrongLength }
        defer { at += 1 }
        return bytes[at]
    }

    /// Reads a big-endian number of 8 bytes.
    package mutating func number() throws(SiteError) -> UInt64 {
        UInt64(bigEndian: try take(8))
    }
}

extension UInt64 {
    /// Creates the number from at most 8 bytes, highest first.
    package init(bigEndian bytes: some Sequence<UInt8>) {
        self = 0
        for byte in bytes { self = self << 8 | UInt64(byte) }
    }
}

extension [UInt8] {
    /// Appends the 8 bytes of `number`, highest first.
    package mutating func append(bigEndian number: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
    }
}
