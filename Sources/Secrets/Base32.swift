/// Base 32 (RFC 4648 section 6) without padding, in its one canonical form, in upper case for the alphanumeric mode of
/// QR codes. It also encodes secrets, so it computes each character: no table index depends on a secret.
package enum Base32 {
    /// Number of characters for `byteCount` bytes.
    package static func characterCount(byteCount: Int) -> Int { (byteCount * 8 + 4) / 5 }

    /// Writes the characters of `input` to `output` from `offset` on; `output` must have room for them.
    package static func encode(_ input: RawSpan, into output: inout MutableRawSpan, at offset: Int) {
        for index in 0..<characterCount(byteCount: input.byteCount) {
            let (byte, shift) = (index * 5 / 8, index * 5 % 8)
            let high = UInt16(input.octet(at: byte)) << 8
            let low = byte + 1 < input.byteCount ? UInt16(input.octet(at: byte + 1)) : 0
            let value = UInt8(truncatingIfNeeded: (high | low) >> UInt16(11 - shift)) & 31
            let character = value < 26 ? 0x41 + value : 0x32 + value - 26
            output.storeBytes(of: character, toByteOffset: offset + index, as: UInt8.self)
        }
    }

    /// Returns the decoded bytes; nil for an invalid character, an impossible length or bits after the end.
    package static func decode(_ input: RawSpan) -> SecretBytes? {
        let byteCount = input.byteCount * 5 / 8
        guard characterCount(byteCount: byteCount) == input.byteCount else { return nil }
        var output = SecretBytes(count: byteCount)
        let isCanonical = output.withMutableBytes { bytes in
            var (pending, pendingBits, next) = (UInt16(0), 0, 0)
            for index in 0..<input.byteCount {
                guard let value = value(of: input.octet(at: index)) else { return false }
                pending = pending << 5 | UInt16(value)
                pendingBits += 5
                if pendingBits >= 8 {
                    pendingBits -= 8
                    let byte = UInt8(truncatingIfNeeded: pending >> UInt16(pendingBits))
                    bytes.storeBytes(of: byte, toByteOffset: next, as: UInt8.self)
                    next += 1
                    pending &= (1 << UInt16(pendingBits)) - 1
                }
            }
            return pending == 0
        }
        guard isCanonical else { return nil }
        return output
    }

    /// Returns the characters of bytes that are not secret.
    package static func text(_ bytes: [UInt8]) -> [UInt8] {
        var text = SecretBytes(count: characterCount(byteCount: bytes.count))
        text.withMutableBytes { encode(bytes.span.bytes, into: &$0, at: 0) }
        return text.withBytes { [UInt8](copying: $0) }
    }

    /// Returns the bytes that `text` encoded, or nil as in `decode`.
    package static func bytes(_ text: [UInt8]) -> [UInt8]? {
        decode(text.span.bytes)?.withBytes { [UInt8](copying: $0) }
    }

    private static func value(of character: UInt8) -> UInt8? {
        switch character {
        case 0x41...0x5A: character - 0x41
        case 0x32...0x37: character - 0x32 + 26
        default: nil
        }
    }
}

extension RawSpan {
    /// Returns the byte at `index`; the span checks the bound.
    @inline(__always)
    package func octet(at index: Int) -> UInt8 {
        // SAFETY: every bit pattern is a UInt8, and the call is bounds-checked.
        unsafe unsafeLoad(fromByteOffset: index, as: UInt8.self)
    }
}
