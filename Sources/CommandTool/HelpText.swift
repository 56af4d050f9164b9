/// Wraps ArgumentParser's help at words, for a terminal of any width.
///
/// ArgumentParser also breaks the lines of examples, and renders nothing on a terminal of fewer than 27 columns. So
/// ArgumentParser is told to leave lines unbroken, and this type breaks them.
package enum HelpText {
    /// The width requested from ArgumentParser, so that it breaks no line.
    package static let unbroken = 100_000
    /// The column at which ArgumentParser starts the description of an option.
    private static let meaningColumn = 26
    /// On a terminal with fewer columns, the description of an option stands below it.
    private static let narrow = 60
    private static let narrowIndent = 6
    /// The smallest width of lines, even if the terminal has fewer columns.
    private static let fewest = 20

    package static func wrapped(_ text: String, to columns: Int) -> String {
        let columns = max(columns, fewest)
        var isOverview = true
        return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
            if line.hasPrefix("USAGE: ") {
                isOverview = false
                return usage(String(line), to: columns)
            }
            return isOverview ? overview(String(line), to: columns) : item(String(line), to: columns)
        }.joined(separator: "\n")
    }

    /// An indented line is an exit status, which is wrapped, or an example, which is not.
    private static func overview(_ line: String, to columns: Int) -> [String] {
        guard line.hasPrefix(" ") else { return WordWrap.lines(line, width: columns) }
        let indent = line.prefix { $0 == " " }.count
        let number = line.dropFirst(indent).prefix { $0.isASCII && $0.isNumber }.count
        let start = indent + number
        guard number > 0, line.dropFirst(start).hasPrefix("  ") else { return [line] }
        return WordWrap.lines(line, width: columns, hanging: start + 2)
    }

    /// Wraps the usage without breaking its bracketed parts.
    package static func usage(_ line: String, to columns: Int) -> [String] {
        var parts: [String] = []
        var depth = 0
        for word in line.split(separator: " ") {
            if depth == 0 { parts.append(String(word)) } else { parts[parts.count - 1] += " " + word }
            depth += word.count { $0 == "[" } - word.count { $0 == "]" }
        }
        var rows = [parts.first ?? ""]
        for part in parts.dropFirst() {
            if rows[rows.count - 1].count + 1 + part.count > columns {
                rows.append("  " + part)
            } else {
                rows[rows.count - 1] += " " + part
            }
        }
        return rows
    }

    /// Wraps an option, an argument or a command with its description.
    private static func item(_ line: String, to columns: Int) -> [String] {
        let indent = columns < narrow ? narrowIndent : meaningColumn
        let meaning = String(repeating: " ", count: meaningColumn)
        if line.hasPrefix(meaning) {
            let text = String(repeating: " ", count: indent) + line.drop { $0 == " " }
            return WordWrap.lines(text, width: columns, hanging: indent)
        }
        let label = String(line.prefix(meaningColumn))
        guard line.hasPrefix("  "), line.count > meaningColumn, label.hasSuffix(" ") else {
            return WordWrap.lines(line, width: columns, hanging: 2)
        }
        guard columns < narrow else { return WordWrap.lines(line, width: columns, hanging: indent) }
        let below = String(repeating: " ", count: indent) + line.dropFirst(meaningColumn)
        let end = label.lastIndex { $0 != " " } ?? label.startIndex
        return [String(label[...end])] + WordWrap.lines(below, width: columns, hanging: indent)
    }
}
