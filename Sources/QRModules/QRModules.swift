import CQREncode
import Glibc

/// The modules of a QR code (ISO/IEC 18004), for drawing.
///
/// The content may be secret, so the modules are wiped. libqrencode's own working memory cannot be wiped here.
public enum QRModules {
    /// The width of the light margin in modules. The standard requires four.
    public static let quiet = 4

    /// Lends the width of the smallest code of `content`, and a test whether a module is dark. Modules outside the code
    /// are light. Returns nil if no code can hold the content: the limit is 2,953 bytes.
    public static func with<Result>(
        _ content: RawSpan, _ body: (_ width: Int, _ isDark: (_ row: Int, _ column: Int) -> Bool) -> Result
    ) -> Result? {
        guard let code = encode(content) else { return nil }
        defer { free(code) }
        let width = Int(code.pointee.width)
        guard let data = code.pointee.data else { return nil }
        // SAFETY: libqrencode returns width × width bytes, which live until `free`.
        let modules = UnsafeBufferPointer(start: data, count: width * width)
        return body(width) { row, column in
            let inside = (0..<width).contains(row) && (0..<width).contains(column)
            // The lowest bit of a module says whether it is dark (qrencode.h).
            return inside && modules[row * width + column] & 1 == 1
        }
    }

    /// Encodes the smallest code. Alphanumeric characters at the end form a separate part, with only 5.5 bits each.
    private static func encode(_ content: RawSpan) -> UnsafeMutablePointer<QRcode>? {
        // Version 0 selects the smallest code that holds the input.
        guard let input = QRinput_new2(0, QR_ECLEVEL_L) else { return nil }
        // SAFETY: only this function has the input, and frees it once.
        defer { QRinput_free(input) }
        let start = alphanumericStart(content)
        guard append(content.extracting(first: start), QR_MODE_8, to: input),
            append(content.extracting(droppingFirst: start), QR_MODE_AN, to: input)
        else { return nil }
        // SAFETY: the caller frees the code.
        return QRcode_encodeInput(input)
    }

    private static func append(_ part: RawSpan, _ mode: QRencodeMode, to input: OpaquePointer) -> Bool {
        guard part.byteCount > 0 else { return true }
        // SAFETY: the library copies `count` bytes and keeps no pointer.
        return part.withUnsafeBytes { bytes in
            QRinput_append(input, mode, Int32(clamping: bytes.count), bytes.bindMemory(to: UInt8.self).baseAddress) == 0
        }
    }

    /// Returns the start of the alphanumeric characters at the end (ISO/IEC 18004, 7.4.4), or the end if they are too
    /// few to save space.
    static func alphanumericStart(_ content: RawSpan) -> Int {
        var start = content.byteCount
        while start > 0, isAlphanumeric(content.unsafeLoad(fromByteOffset: start - 1, as: UInt8.self)) { start -= 1 }
        return content.byteCount - start < fewestAlphanumeric ? content.byteCount : start
    }

    /// A separate part costs up to 20 bits, and each character saves 2.5.
    private static let fewestAlphanumeric = 16

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || " $%*+-./:".utf8.contains(byte)
    }

    private static func free(_ code: UnsafeMutablePointer<QRcode>) {
        // SAFETY: `code` belongs to libqrencode, lives until QRcode_free, and has width × width modules.
        let count = Int(code.pointee.width) * Int(code.pointee.width)
        if let data = code.pointee.data { explicit_bzero(data, count) }
        QRcode_free(code)
    }
}
