import TextOutput

/// Makes messages of the server and libpq harmless and short.
enum ServerText {
    static let limitBytes = 512

    /// Returns the text as printable characters on one line, with at most `limitBytes` bytes.
    static func bounded(_ text: String) -> String {
        var result = ""
        var bytes = 0
        let words = text.split(whereSeparator: { $0 == "\n" || $0 == "\t" || $0 == " " }).joined(separator: " ")
        for scalar in Printable.text(words).unicodeScalars {
            bytes += UTF8.width(scalar)
            guard bytes <= limitBytes else { break }
            result.unicodeScalars.append(scalar)
        }
        return result
    }
}
