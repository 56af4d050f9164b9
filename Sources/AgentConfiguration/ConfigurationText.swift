import ConfigurationFile

/// The commented default file, which is shipped as packaging/boxagent.toml.
public enum ConfigurationText {
    /// The text with every section, key and default. Each key is commented out.
    public static var commentedDefaults: String {
        var text = """
            # Configuration of boxagentd, as described in boxagent.toml(5).
            #
            # Every key is shown with its default. To change a key, remove its #, then run
            #   systemctl reload boxagentd
            # Keys marked "restart" take effect when the agent starts again.
            #
            # Packages never change this file. Files in /etc/boxagent/conf.d override it key by key.
            #   boxagent config set KEY VALUE
            # checks a value and writes it to such a file.

            """
        for section in ConfigurationKey.sections {
            text += "\n# --- \(section) ---\n"
            for key in ConfigurationKey.all where key.section == section {
                text += wrap(key.help + note(key)).map { "# \($0)\n" }.joined()
                // The section is part of the key, because a user may uncomment the line above the first [section].
                text += "# \(section).\(key.example)\n"
            }
        }
        return text
    }

    /// Returns the bounds, and "restart" if a change needs one.
    private static func note(_ key: ConfigurationKey) -> String {
        var notes: [String] = []
        if case .integer(let bounds) = key.rule { notes.append("\(bounds.lowerBound) to \(bounds.upperBound)") }
        if !key.reloadable { notes.append("restart") }
        return notes.isEmpty ? "" : " (\(notes.joined(separator: "; ")))"
    }

    static func render(_ value: TOMLDocument.Value) -> String {
        switch value {
        case .text(let text): quoted(text)
        case .integer(let number): String(number)
        case .flag(let flag): flag ? "true" : "false"
        case .array(let elements): "[" + elements.map(render).joined(separator: ", ") + "]"
        case .table, .other: ""
        }
    }

    /// Returns a basic string of TOML 1.0 with quotation marks and backslashes escaped. There are no control
    /// characters.
    static func quoted(_ text: String) -> String {
        text.reduce(into: "\"") { quoted, character in
            if character == "\"" || character == "\\" { quoted.append("\\") }
            quoted.append(character)
        } + "\""
    }

    /// Breaks the text into lines of at most 98 columns.
    private static func wrap(_ text: String) -> [String] {
        text.split(separator: " ").reduce(into: []) { lines, word in
            if let last = lines.last, last.count + 1 + word.count <= 98 {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
    }
}
