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

    /// The smallest code, with the characters that a code keeps in 5.5 bits each in a part of their own.
    private static func encode(_ content: RawSpan) -> UnsafeMutablePointer<QRcode>? {
        // Version 0 picks the smallest code that holds what is appended.
        guard let input = QRinput_new2(0, QR_ECLEVEL_L) else { return nil }
        // SAFETY: the input is this function's alone, and freed once.
        defer { QRinput_free(input) }
        let start = alphanumericStart(content)
        guard append(content.extracting(first: start), QR_MODE_8, to: input),
            append(content.extracting(droppingFirst: start), QR_MODE_AN, to: input)
        else { return nil }
        // SAFETY: the code is the caller's to free.
        return QRcode_encodeInput(input)
    }

    private static func append(_ part: RawSpan, _ mode: QRencodeMode, to input: OpaquePointer) -> Bool {
        guard part.byteCount > 0 else { return true }
        // SAFETY: the library copies `count` bytes and keeps no pointer.
        return part.withUnsafeBytes { bytes in
            QRinput_append(input, mode, Int32(clamping: bytes.count), bytes.bindMemory(to: UInt8.self).baseAddress) == 0
        }
    }

    /// Where the alphanumeric characters at the end begin (ISO/IEC 18004, 7.4.4). The end, where there are too few to
    /// pay.
    static func alphanumericStart(_ content: RawSpan) -> Int {
        var start = content.byteCount
        while start > 0, isAlphanumeric(content.unsafeLoad(fromByteOffset: start - 1, as: UInt8.self)) { start -= 1 }
        return content.byteCount - start < fewestAlphanumeric ? content.byteCount : start
    }

    /// A part of its own costs up to 20 bits, and each character saves 2.5.
    private static let fewestAlphanumeric = 16

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || " $%*+-./:".utf8.contains(byte)
    }

    private static func free(_ code: UnsafeMutablePointer<QRcode>) {
        // SAFETY: `code` is libqrencode's, alive until QRcode_free, with width × width modules.
        let count = Int(code.pointee.width) * Int(code.pointee.width)
        if let data = code.pointee.data { explicit_bzero(data, count) }
        QRcode_free(code)
    }
}
