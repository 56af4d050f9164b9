import AgentClient
import QRModules

/// A QR code (ISO/IEC 18004) drawn with half blocks, two rows of modules a line.
///
/// What is encoded may be secret: the modules and the drawing are wiped. What the library has of it is gone with this short-lived
/// process, which leaves no core.
package enum QRCode {
    private static let quietModules = QRModules.quiet
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
        QRModules.with(content) { width, _ in Size(modules: width) }
    }

    /// Draws `content` and lends the drawing. Nil when it does not fit: into a code, or into `room`.
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
