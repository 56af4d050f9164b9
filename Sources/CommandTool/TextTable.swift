/// Columns as wide as their widest cell, two spaces apart; the last one is not padded.
package enum TextTable {
    /// What a shortened cell keeps at least, its ellipsis included.
    package static let shortest = 6
    private static let gap = 2

    /// `flexible` columns are shortened, the widest first, until a line has at most `width` characters. Where that is
    /// not enough,
    /// each row takes several lines, with whole cells. Without a width (a pipe) cells stay as they are.
    package static func lines(_ rows: [[String]], width: Int? = nil, flexible: Set<Int> = []) -> [String] {
        let widths = fitting(widths(rows), in: width, flexible)
        if let width, total(widths) > width { return rows.flatMap { packed($0, width) } }
        return rows.map { row in
            row.enumerated().map { column, cell in
                let shown = shortened(cell, to: widths[column])
                return column == row.count - 1
                    ? shown : shown + String(repeating: " ", count: widths[column] - shown.count)
            }.joined(separator: String(repeating: " ", count: gap))
        }
    }

    /// Returns names and texts in two columns; a text that is too long for `width` goes on below its beginning.
    package static func pairs(_ rows: [[String]], width: Int?) -> [String] {
        let name = rows.map { $0.first?.count ?? 0 }.max() ?? 0
        return lines(rows).flatMap { line in
            let hanging = width.map { name + gap < $0 / 2 ? name + gap : 4 } ?? 0
            return WordWrap.lines(line, width: width, hanging: hanging)
        }
    }

    /// Returns the cells of a row in as many lines as they need.
    private static func packed(_ row: [String], _ width: Int) -> [String] {
        var lines: [String] = []
        for cell in row where !cell.isEmpty {
            if let last = lines.last, last.count + gap + cell.count <= width {
                lines[lines.count - 1] += String(repeating: " ", count: gap) + cell
            } else {
                lines.append((lines.isEmpty ? "" : continuation) + cell)
            }
        }
        return lines.flatMap { WordWrap.lines($0, width: width, hanging: continuation.count) }
    }

    /// What the second and later lines of a row begin with.
    private static let continuation = "    "

    /// The longest line's characters.
    package static func width(_ rows: [[String]]) -> Int { total(widths(rows)) }

    private static func widths(_ rows: [[String]]) -> [Int] {
        (0..<(rows.map(\.count).max() ?? 0)).map { column in
            rows.map { $0.count > column ? $0[column].count : 0 }.max() ?? 0
        }
    }

    private static func total(_ widths: [Int]) -> Int { widths.reduce(0, +) + gap * max(0, widths.count - 1) }

    private static func fitting(_ natural: [Int], in width: Int?, _ flexible: Set<Int>) -> [Int] {
        guard let width else { return natural }
        var widths = natural
        var surplus = total(widths) - width
        while surplus > 0 {
            let widest = widths.indices.filter { flexible.contains($0) && widths[$0] > shortest }
                .max { widths[$0] < widths[$1] }
            guard let widest else { break }
            widths[widest] -= 1
            surplus -= 1
        }
        return widths
    }

    private static func shortened(_ cell: String, to width: Int) -> String {
        cell.count <= width ? cell : cell.prefix(width - 1) + "…"
    }
}
