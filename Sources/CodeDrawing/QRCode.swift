import AgentClient
import CQREncode
import Glibc

/// A QR code (ISO/IEC 18004) drawn with half blocks, two rows of modules a line.
///
/// What is encoded may be secret: the modules and the drawing are wiped. libqrencode's own working memory is
/// not ours to wipe; it is gone with this short-lived process, which leaves no core.
package enum QRCode {
    /// Light modules that surround the code on each side; the standard asks for four.
    static let quietModules = 4
    /// The largest drawing, in bytes: version 40 with its margin, three bytes a character, and colours.
    static let drawingBytes = 96 * (185 * 3 + 16)

    /// Which half of a character is dark, and with which colours.
    package enum Style {
        /// Black on white by colour codes: readable on every terminal.
        case coloured
        /// Black on the eight colours' white: a Linux text console may blink where it should be bright (console_codes(4)).
        case console
        /// Light modules as blocks, for a terminal that is dark and may not be told colours.
        case plain

        /// The colours of a line, before it.
        fileprivate var colours: StaticString {
            switch self {
            case .coloured: "\u{1B}[30;107m"
            case .console: "\u{1B}[30;47m"
            case .plain: ""
            }
        }
    }

    /// What a drawing takes of a terminal.
    package struct Size: Equatable {
        package let columns: Int
        package let lines: Int

        package init(columns: Int, lines: Int) {
            (self.columns, self.lines) = (columns, lines)
        }

        /// Of a code so many modules wide.
        fileprivate init(modules: Int) {
            columns = modules + 2 * quietModules
            lines = (columns + 1) / 2
        }

        func fits(into room: Size) -> Bool { columns <= room.columns && lines <= room.lines }
    }

    /// What `content` would take; nil where no code holds it.
    package static func size(of content: RawSpan) -> Size? {
        guard let code = encode(content) else { return nil }
        defer { free(code) }
        return Size(modules: Int(code.pointee.width))
    }

    /// Draws `content` and lends the drawing. Nil when it does not fit: into a code, or into `room`.
    package static func withDrawing<Result>(
        of content: RawSpan, into room: Size, style: Style, _ body: (RawSpan) -> Result
    ) -> Result? {
        guard let code = encode(content) else { return nil }
        defer { free(code) }
        let width = Int(code.pointee.width)
        guard Size(modules: width).fits(into: room), let data = code.pointee.data else { return nil }
        // SAFETY: libqrencode gives width × width bytes, which live until `free`.
        let modules = UnsafeBufferPointer(start: data, count: width * width)
        var drawing = WipedBuffer(count: drawingBytes)
        let count = drawing.withMutableBytes { output in
            draw(width: width, style: style, to: &output) { row, column in
                let inside = (0..<width).contains(row) && (0..<width).contains(column)
                // The lowest bit of a module says whether it is dark (qrencode.h).
                return inside && modules[row * width + column] & 1 == 1
            }
        }
        return drawing.withBytes(first: count, body)
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

    /// Returns how many bytes were drawn.
    static func draw(
        width: Int, style: Style, to output: inout MutableRawSpan, isDark: (Int, Int) -> Bool
    ) -> Int {
        var used = 0
        func put(_ text: StaticString, _ output: inout MutableRawSpan) {
            for byte in text.description.utf8 where used < output.byteCount {
                output.storeBytes(of: byte, toByteOffset: used, as: UInt8.self)
                used += 1
            }
        }
        for row in stride(from: -quietModules, to: width + quietModules, by: 2) {
            put(style.colours, &output)
            for column in -quietModules..<(width + quietModules) {
                let drawn = style != .plain
                let upper = isDark(row, column) == drawn
                let lower = isDark(row + 1, column) == drawn
                switch (upper, lower) {
                case (true, true): put("█", &output)
                case (true, false): put("▀", &output)
                case (false, true): put("▄", &output)
                case (false, false): put(" ", &output)
                }
            }
            if style != .plain { put("\u{1B}[0m", &output) }
            put("\n", &output)
        }
        return used
    }
}
