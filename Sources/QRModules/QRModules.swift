import CQREncode
import Glibc

/// The modules of a QR code (ISO/IEC 18004), for whoever draws it.
///
/// What is encoded may be secret: the modules are wiped. libqrencode's own working memory is not ours to wipe.
public enum QRModules {
    /// Light modules that surround the code on each side; the standard asks for four.
    public static let quiet = 4

    /// Lends how many modules wide the smallest code of `content` is, and which of them are dark, by row and column; outside of it
    /// none is. Nil where no code holds it: a code has at most 2,953 bytes.
    public static func with<Result>(
        _ content: RawSpan, _ body: (_ width: Int, _ isDark: (_ row: Int, _ column: Int) -> Bool) -> Result
    ) -> Result? {
        guard let code = encode(content) else { return nil }
        defer { free(code) }
        let width = Int(code.pointee.width)
        guard let data = code.pointee.data else { return nil }
        // SAFETY: libqrencode gives width × width bytes, which live until `free`.
        let modules = UnsafeBufferPointer(start: data, count: width * width)
        return body(width) { row, column in
            let inside = (0..<width).contains(row) && (0..<width).contains(column)
            // The lowest bit of a module says whether it is dark (qrencode.h).
            return inside && modules[row * width + column] & 1 == 1
        }
    }

    private static func encode(_ content: RawSpan) -> UnsafeMutablePointer<QRcode>? {
        // SAFETY: the library copies `count` bytes and keeps no pointer.
        content.withUnsafeBytes { bytes in
            // Version 0 picks the smallest code that holds them.
            let start = bytes.bindMemory(to: UInt8.self).baseAddress
            return QRcode_encodeData(Int32(clamping: bytes.count), start, 0, QR_ECLEVEL_L)
        }
    }

    private static func free(_ code: UnsafeMutablePointer<QRcode>) {
        // SAFETY: `code` is libqrencode's, alive until QRcode_free, with width × width modules.
        let count = Int(code.pointee.width) * Int(code.pointee.width)
        if let data = code.pointee.data { explicit_bzero(data, count) }
        QRcode_free(code)
    }
}
