/// Lays out columns as wide as their widest cell, two spaces apart. The last column is not padded.
package enum TextTable {
    /// The shortest form of a shortened cell, in characters with its ellipsis.
    package static let shortest = 6
    private static let gap = 2

    /// Shortens `flexible` columns, the widest first, until a line has at most `width` characters. If that is not
    /// enough, a row that is too long takes several lines with whole cells. If more than a third of the rows are too
    /// long, all rows do. Without a width (a pipe), cells stay as they are.
    package static func lines(_ rows: [[String]], width: Int? = nil, flexible: Set<Int> = []) -> [String] {
        let counts = rows.map { $0.map(\.count) }
        let fitted = fitting(maxima(counts), in: width, flexible)
        guard let width, total(fitted) > width else { return rows.map { line($0, fitted) } }
        guard let most = withoutLongest(counts, width) else { return rows.flatMap { packed($0, width) } }
        return rows.flatMap { row in
            zip(row, most).allSatisfy { $0.count <= $1 } ? [line(row, most)] : packed(row, width)
        }
    }

    private static func line(_ row: [String], _ widths: [Int]) -> String {
        row.enumerated().map { column, cell in
            let shown = shortened(cell, to: widths[column])
            return column == row.count - 1
                ? shown : shown + String(repeating: " ", count: widths[column] - shown.count)
        }.joined(separator: String(repeating: " ", count: gap))
    }

    /// Returns the columns' widths without the rows with the longest cells, or nil if too few rows would be left.
    private static func withoutLongest(_ counts: [[Int]], _ width: Int) -> [Int]? {
        var left = counts
        while left.count * 3 >= counts.count * 2 {
            let widths = maxima(left)
            guard total(widths) > width, let longest = widths.max(), let column = widths.firstIndex(of: longest) else {
                return widths
            }
            left.removeAll { $0.count > column && $0[column] == longest }
        }
        return nil
    }

    /// Returns names and texts in two columns. A text that is too long for `width` continues below its beginning.
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

    /// The indent of the second and later lines of a row.
    private static let continuation = "    "

    /// Returns the number of characters in the longest line.
    package static func width(_ rows: [[String]]) -> Int { total(maxima(rows.map { $0.map(\.count) })) }

    private static func maxima(_ counts: [[Int]]) -> [Int] {
        (0..<(counts.map(\.count).max() ?? 0)).map { column in
            counts.map { $0.count > column ? $0[column] : 0 }.max() ?? 0
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
