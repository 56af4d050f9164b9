/// Lays a view out for a terminal: ASCII and the sequences that every Linux console knows (console_codes(4)), whatever
/// its character set. Whole screens only, so that what the kernel printed in between goes with the next one.
struct GreeterScreen: Equatable, Sendable {
    var columns: Int
    var rows: Int
    /// Dots as spaces in reverse video; without, as `#`: for terminals that may not know how.
    var hasReverseVideo: Bool

    /// What a terminal has that does not know its size.
    static let usualColumns = 80
    static let usualRows = 24
    /// Larger digits than this serve nobody.
    static let scaleLimit = 4
    /// Lines besides the digits, with those that keep them apart.
    private static let textRows = 11
    /// Of four quarters of the width the digits take three at most.
    private static let widthQuarters = 3

    init(columns: Int, rows: Int, hasReverseVideo: Bool) {
        self.columns = columns > 0 ? min(columns, 1_000) : Self.usualColumns
        self.rows = rows > 0 ? min(rows, 1_000) : Self.usualRows
        self.hasReverseVideo = hasReverseVideo
    }

    /// The bytes that show the view on the whole terminal.
    func bytes(_ view: GreeterView) -> [UInt8] {
        let lines = self.lines(view)
        let above = max(0, (rows - lines.count) / 2)
        var text = "\u{1b}[0m\u{1b}[H\u{1b}[2J"
        // One row stays free: writing in the last column of the last one would scroll some terminals.
        for (index, line) in lines.prefix(max(1, rows - 1 - above)).enumerated() {
            text += "\u{1b}[\(above + index + 1);1H" + line
        }
        return Array(text.utf8)
    }

    /// The screen's lines from the first to the last that is not empty.
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

    /// How many rows a dot is high, and half of how many columns it is wide; 0: there is no room for digits.
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

    /// A console may have any character set; and no text of others drives it.
    private func ascii(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { (0x20...0x7E).contains($0.value) ? $0 : "?" }))
    }
}
