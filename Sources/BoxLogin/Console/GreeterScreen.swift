/// Lays a view out for a terminal, with ASCII and the sequences of every Linux console (console_codes(4)). It draws
/// whole screens only, so that each one overwrites the kernel's messages.
struct GreeterScreen: Equatable, Sendable {
    var columns: Int
    var rows: Int
    /// Draws dots as spaces in reverse video. If false, as `#`, for terminals that may lack reverse video.
    var hasReverseVideo: Bool

    /// The size of a terminal that does not report one.
    static let usualColumns = 80
    static let usualRows = 24
    /// The limit of the scale. Larger digits are not easier to read.
    static let scaleLimit = 4
    /// The number of rows besides the digits, with the empty ones between.
    private static let textRows = 11
    /// The digits take at most this many quarters of the width.
    private static let widthQuarters = 3

    init(columns: Int, rows: Int, hasReverseVideo: Bool) {
        self.columns = columns > 0 ? min(columns, 1_000) : Self.usualColumns
        self.rows = rows > 0 ? min(rows, 1_000) : Self.usualRows
        self.hasReverseVideo = hasReverseVideo
    }

    /// Returns the bytes that show the view on the whole terminal.
    func bytes(_ view: GreeterView) -> [UInt8] {
        let lines = self.lines(view)
        let above = max(0, (rows - lines.count) / 2)
        var text = "\u{1b}[0m\u{1b}[H\u{1b}[2J"
        // One row stays free, because output in the last column of the last row makes some terminals scroll.
        for (index, line) in lines.prefix(max(1, rows - 1 - above)).enumerated() {
            text += "\u{1b}[\(above + index + 1);1H" + line
        }
        return Array(text.utf8)
    }

    /// Returns the screen's lines, without empty ones above and below.
    func lines(_ view: GreeterView) -> [String] {
        var lines: [String] = []
        if let digits = view.boxID {
            lines = [centred("Log in with your phone"), "", centred("This is box"), ""] + idLines(digits) + [""]
        }
        lines += [centred(view.instruction), centred(view.state), "", centred(view.fallback)]
        if let notice = view.notice { lines += ["", centred(notice)] }
        return lines
    }

    private func idLines(_ digits: [UInt8]) -> [String] {
        let scale = self.scale(characters: digits.count)
        return scale > 0
            ? digitLines(digits, scale: scale) : [centred(ascii(String(decoding: digits, as: UTF8.self)))]
    }

    /// Returns the height of a dot in rows, which is half its width in columns. 0 means that the digits do not fit.
    private func scale(characters: Int) -> Int {
        let widest = columns * Self.widthQuarters / (4 * max(1, 2 * BlockDigits.width(of: characters)))
        let highest = (rows - Self.textRows) / BlockDigits.rows
        return max(0, min(widest, highest, Self.scaleLimit))
    }

    private func digitLines(_ digits: [UInt8], scale: Int) -> [String] {
        let width = BlockDigits.width(of: digits.count) * 2 * scale
        let margin = String(repeating: " ", count: max(0, (columns - width) / 2))
        var lines: [String] = []
        for row in 0..<BlockDigits.rows {
            var line = margin
            for isSet in BlockDigits.row(row, of: digits) {
                line += dot(isSet, columns: 2 * scale)
            }
            lines += [String](repeating: line, count: scale)
        }
        return lines
    }

    private func dot(_ isSet: Bool, columns: Int) -> String {
        guard isSet else { return String(repeating: " ", count: columns) }
        guard hasReverseVideo else { return String(repeating: "#", count: columns) }
        return "\u{1b}[7m" + String(repeating: " ", count: columns) + "\u{1b}[0m"
    }

    private func centred(_ text: String) -> String {
        let shown = String(ascii(text).prefix(columns - 1))
        return String(repeating: " ", count: max(0, (columns - shown.utf8.count) / 2)) + shown
    }

    /// Replaces all but printable ASCII: consoles may have any character set, and foreign text must not control them.
    private func ascii(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { (0x20...0x7E).contains($0.value) ? $0 : "?" }))
    }
}
