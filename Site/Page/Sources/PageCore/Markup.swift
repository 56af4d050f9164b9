import TextOutput

/// Escapes text for HTML.
public enum Markup {
    /// Escapes text for HTML or a quoted attribute, by scalars: a combining scalar makes a sign another character.
    public static func escaped(_ text: String) -> String {
        var out = ""
        out.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "&": out += "&amp;"
            case "\"": out += "&quot;"
            case "'": out += "&#39;"
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }

    /// Escapes foreign text. Invisible and direction-changing scalars become numbers, and <bdi> isolates the text.
    public static func foreign(_ text: String) -> String {
        "<bdi>" + escaped(Printable.text(text)) + "</bdi>"
    }
}
