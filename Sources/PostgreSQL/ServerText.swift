import TextOutput

/// What server and libpq say in words, made harmless and short.
enum ServerText {
    static let limitBytes = 512

    /// Printable, on one line, at most `limitBytes`.
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
