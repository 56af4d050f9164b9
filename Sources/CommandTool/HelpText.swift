/// The help that ArgumentParser renders, wrapped at words for a terminal of any width.
///
/// ArgumentParser breaks examples as it breaks sentences, and gives no text on a terminal of fewer than 27 columns. It
/// is therefore asked for lines that are never broken, and they are broken here.
package enum HelpText {
    /// What ArgumentParser is asked for.
    package static let unbroken = 100_000
    /// The column of what an option means, as ArgumentParser has it.
    private static let meaningColumn = 26
    /// On a terminal with fewer columns, what an option means stands below it.
    private static let narrow = 60
    private static let narrowIndent = 6
    /// On a terminal with fewer columns, lines are as long as this.
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

    /// What is indented is an example, which stays whole, or an exit status.
    private static func overview(_ line: String, to columns: Int) -> [String] {
        guard line.hasPrefix(" ") else { return WordWrap.lines(line, width: columns) }
        let indent = line.prefix { $0 == " " }.count
        let number = line.dropFirst(indent).prefix { $0.isASCII && $0.isNumber }.count
        let start = indent + number
        guard number > 0, line.dropFirst(start).hasPrefix("  ") else { return [line] }
        return WordWrap.lines(line, width: columns, hanging: start + 2)
    }

    /// Returns the usage with its bracketed parts whole.
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

    /// Returns an option, an argument or a command with what it means.
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
