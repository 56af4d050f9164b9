/// Breaks text at spaces into lines of a given width.
package enum WordWrap {
    /// Returns `text` in lines of at most `width` characters, the second and later ones after `hanging` spaces. Words
    /// longer than a line stay whole, and so do spaces at the beginning. Without a width, only existing line breaks
    /// apply.
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
                // Drops the spaces at which a line was broken.
                isEmpty = true
                if word.isEmpty { continue }
            }
            row += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return rows + [row]
    }

    /// Returns the number of characters that a terminal shows. Colour codes take no room.
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
