import AgentClient
import QRModules

/// A QR code (ISO/IEC 18004), drawn with half blocks: two rows of modules in one line.
///
/// The content may be secret, so modules and drawing are wiped. Copies inside the library end with this short-lived
/// process, which writes no core dump.
package enum QRCode {
    private static let quietModules = QRModules.quiet
    /// The largest drawing in bytes: version 40 with its margin, three bytes for each character, and colours.
    static let drawingBytes = 96 * (185 * 3 + 16)

    /// The colours of the drawing, and the half of a character that is dark.
    package enum Style {
        /// Black on white by colour codes, which every terminal shows well.
        case coloured
        /// Black on ordinary white: a Linux text console may show bright colours by blinking (console_codes(4)).
        case console
        /// Light modules as blocks, for a dark terminal on which the user wants no colours.
        case plain

        /// The colour code at the start of a line.
        fileprivate var colours: StaticString {
            switch self {
            case .coloured: "\u{1B}[30;107m"
            case .console: "\u{1B}[30;47m"
            case .plain: ""
            }
        }
    }

    /// The room that a drawing takes on a terminal.
    package struct Size: Equatable {
        package let columns: Int
        package let lines: Int

        package init(columns: Int, lines: Int) {
            (self.columns, self.lines) = (columns, lines)
        }

        /// Returns the size of the drawing, with its margin, of a code with this many modules in a row.
        fileprivate init(modules: Int) {
            columns = modules + 2 * quietModules
            lines = (columns + 1) / 2
        }

        func fits(into room: Size) -> Bool { columns <= room.columns && lines <= room.lines }
    }

    /// Returns the size of a drawing of `content`, or nil if no code can hold it.
    package static func size(of content: RawSpan) -> Size? {
        QRModules.with(content) { width, _ in Size(modules: width) }
    }

    /// Draws `content` and lends the drawing. Returns nil if no code can hold it, or if it does not fit into `room`.
    package static func withDrawing<Result>(
        of content: RawSpan, into room: Size, style: Style, _ body: (RawSpan) -> Result
    ) -> Result? {
        let drawn: Result?? = QRModules.with(content) { width, isDark in
            guard Size(modules: width).fits(into: room) else { return nil }
            var drawing = WipedBuffer(count: drawingBytes)
            let count = drawing.withMutableBytes { output in
                draw(width: width, style: style, to: &output, isDark: isDark)
            }
            return drawing.withBytes(first: count, body)
        }
        return drawn ?? nil
    }

    /// Draws the code and returns the number of bytes written.
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
