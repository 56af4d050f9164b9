/// Columns as wide as their widest cell, two spaces apart; the last one is not padded.
package enum TextTable {
    /// What a shortened cell keeps at least, its ellipsis included.
    package static let shortest = 6
    private static let gap = 2

    /// `flexible` columns are shortened, the widest first, until a line has at most `width` characters. Without a width
    /// (a pipe) and where that is not enough, cells stay as they are.
    package static func lines(_ rows: [[String]], width: Int? = nil, flexible: Set<Int> = []) -> [String] {
        let widths = fitting(widths(rows), in: width, flexible)
        return rows.map { row in
            row.enumerated().map { column, cell in
                let shown = shortened(cell, to: widths[column])
                return column == row.count - 1
                    ? shown : shown + String(repeating: " ", count: widths[column] - shown.count)
            }.joined(separator: String(repeating: " ", count: gap))
        }
    }

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
