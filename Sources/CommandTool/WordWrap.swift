/// Text in lines of a given width, broken at spaces.
package enum WordWrap {
    /// Returns `text` in lines of at most `width` characters; the second and later lines begin with `hanging` spaces.
    /// A word that is longer than a line stays whole, and so do the spaces at the beginning of the text. Without a
    /// width only the text's own line breaks count.
    package static func lines(_ text: String, width: Int?, hanging: Int = 0) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            width.map { wrapped(line, $0, hanging) } ?? [String(line)]
        }
    }

    private static func wrapped(_ line: Substring, _ width: Int, _ hanging: Int) -> [String] {
        var rows: [String] = []
        var row = String(line.prefix { $0 == " " })
        var isEmpty = true
        for word in line.dropFirst(row.count).split(separator: " ", omittingEmptySubsequences: false) {
            if !isEmpty, shownWidth(row) + 1 + shownWidth(word) > width {
                rows.append(row)
                row = String(repeating: " ", count: hanging)
                // The spaces at which a line was broken are gone.
                isEmpty = true
                if word.isEmpty { continue }
            }
            row += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return rows + [row]
    }

    /// Returns how many characters a terminal shows: colours take no room.
    package static func shownWidth(_ text: some StringProtocol) -> Int {
        var width = 0
        var isEscape = false
        for character in text {
            if isEscape {
                isEscape = character != "m"
            } else if character == "\u{1B}" {
                isEscape = true
            } else {
                width += 1
            }
        }
        return width
    }
}
