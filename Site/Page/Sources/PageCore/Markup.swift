import TextOutput

/// HTML, made of text that is escaped.
public enum Markup {
    /// Text in HTML or in a quoted attribute: by scalars, since a sign that carries a combining one is another character.
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

    /// What others chose: invisible signs and those that turn text around are shown as numbers, and it turns nothing around it.
    public static func foreign(_ text: String) -> String {
        "<bdi>" + escaped(Printable.text(text)) + "</bdi>"
    }
}
