import CUTF8Proc
import Secrets

/// Converts a PIN to Unicode normalisation form C (UAX #15), so that a PIN typed on two keyboards gives the same bytes.
///
/// All working memory is guarded and wiped: utf8proc writes into our buffers and allocates nothing.
public enum PINNormalizer {
    /// The longest input in bytes. The protocol's PIN rules check the length of the result.
    public static let inputBytesLimit = 1_024

    /// Returns the bytes of `pin` in form C. Wipes the input.
    public static func normalized(_ pin: consuming SecretBytes) throws(NormalizationError) -> SecretBytes {
        guard pin.count <= inputBytesLimit else { throw .tooLong }
        let scalarCount = try decompose(pin, into: nil)
        // `utf8proc_reencode` needs room for one more scalar, for the NUL at the end of its text.
        var buffer = SecretBytes(count: (scalarCount + 1) * MemoryLayout<Int32>.stride)
        let byteCount = try buffer.withMutableBytes { (bytes) throws(NormalizationError) in
            // SAFETY: guarded allocations end on a page, so this multiple of 4 bytes is aligned for Int32. `scalars`
            // has room for `scalarCount + 1`, and does not leave the closure.
            try bytes.withUnsafeMutableBytes { (raw) throws(NormalizationError) in
                let scalars = raw.bindMemory(to: Int32.self)
                let decomposed = try decompose(pin, into: scalars)
                try check(UnsafeBufferPointer(rebasing: scalars[..<decomposed]))
                return try reencode(scalars, decomposed)
            }
        }
        buffer.keep(0..<byteCount)
        return buffer
    }

    /// Composes, and uses only decompositions that later Unicode versions keep.
    private static let options = utf8proc_option_t(UTF8PROC_STABLE.rawValue | UTF8PROC_COMPOSE.rawValue)

    /// Writes the decomposed scalars of `pin` if there is a buffer. Returns their number.
    private static func decompose(
        _ pin: borrowing SecretBytes, into buffer: UnsafeMutableBufferPointer<Int32>?
    ) throws(NormalizationError) -> Int {
        // SAFETY: utf8proc reads `count` bytes and writes at most `buffer.count` scalars.
        let result = pin.withBytes { bytes in
            bytes.withUnsafeBytes { raw in
                utf8proc_decompose(
                    raw.bindMemory(to: UInt8.self).baseAddress, raw.count, buffer?.baseAddress, buffer?.count ?? 0,
                    options)
            }
        }
        if result == UTF8PROC_ERROR_NOTASSIGNED { throw .unassignedCharacter }
        guard result >= 0 else { throw .invalidUTF8 }
        return result
    }

    // SAFETY: the caller's buffer has bounds and does not leave the call.
    private static func check(_ scalars: UnsafeBufferPointer<Int32>) throws(NormalizationError) {
        for scalar in scalars {
            switch utf8proc_category(scalar) {
            case UTF8PROC_CATEGORY_CC, UTF8PROC_CATEGORY_ZL, UTF8PROC_CATEGORY_ZP: throw .controlCharacter
            case UTF8PROC_CATEGORY_CN: throw .unassignedCharacter
            default: break
            }
        }
    }

    /// Composes the scalars, and writes them as UTF-8 at the start of the same memory. Returns the number of bytes.
    private static func reencode(
        _ scalars: UnsafeMutableBufferPointer<Int32>, _ count: Int
    ) throws(NormalizationError) -> Int {
        // SAFETY: there is room for `count` scalars and the final NUL. A scalar has at most 4 bytes in UTF-8.
        let result = utf8proc_reencode(scalars.baseAddress, count, options)
        guard result >= 0 else { throw .invalidUTF8 }
        return result
    }
}
