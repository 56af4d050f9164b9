import ConfigurationFile

/// The content of the conf.d file that `boxagent config set` and `unset` write. Each replaces the whole file.
///
/// Files are read in the byte order of their names, and the last value of a key wins.
public struct ConfigurationDraft: Sendable {
    public static let fileName = "boxagent-config.toml"
    static let head = """
        # Written by 'boxagent config set' and 'unset'. They replace the whole file, comments included.

        """

    /// The path of the administrator's file.
    let main: String
    public let file: String
    private var values: [String: TOMLDocument.Value]

    /// Reads the existing file beside `main`. The draft is empty if there is none.
    public init(beside main: String) throws(ConfigurationError) {
        self.main = main
        let file = ConfigurationDirectory.path(beside: main) + "/" + Self.fileName
        self.file = file
        values = [:]
        guard try ConfigurationDirectory.files(beside: main).contains(file) else { return }
        let document = try TOMLDocument(path: file)
        for entry in document.entries {
            guard let key = ConfigurationKey.find(section: entry.table, name: entry.key) else { continue }
            values[key.fullName] = entry.value
        }
    }

    /// Sets a key. `text` is a TOML value. If the key takes a text, the quotation marks may be missing.
    public mutating func set(_ name: String, to text: String) throws(ConfigurationError) {
        let key = try Self.key(name)
        let written = key.takesText && text.first != "\"" ? ConfigurationText.quoted(text) : text
        let line = "\(key.name) = \(written)\n"
        func refusal(_ what: String, _ cure: String) -> ConfigurationError {
            ConfigurationError(problem: ConfigurationProblem(path: name, what: "\(text) \(what)", cure: cure))
        }
        guard let entries = try? TOMLDocument(bytes: Array(line.utf8), path: name).entries else {
            throw refusal("is not a valid value", key.argument)
        }
        guard let entry = entries.first, entries.count == 1, entry.table.isEmpty, entry.key == key.name else {
            throw refusal("is more than one value", key.argument)
        }
        if let (what, cure) = key.problem(with: entry.value, key.argument) { throw refusal(what, cure) }
        values[name] = entry.value
    }

    /// Removes a key. Returns false if the file does not have it.
    public mutating func unset(_ name: String) throws(ConfigurationError) -> Bool {
        values.removeValue(forKey: try Self.key(name).fullName) != nil
    }

    public var text: String {
        var text = Self.head
        for section in ConfigurationKey.sections {
            let keys = ConfigurationKey.all.filter { $0.section == section && values[$0.fullName] != nil }
            guard !keys.isEmpty else { continue }
            text += "\n[\(section)]\n"
            for key in keys {
                if let value = values[key.fullName] { text += "\(key.name) = \(ConfigurationText.render(value))\n" }
            }
        }
        return text
    }

    /// Loads all files, with this draft in place of its own file. Throws if the result would be refused.
    public func loaded() throws(ConfigurationError) -> LoadedConfiguration {
        try LoadedConfiguration.read(path: main, draft: (file, Array(text.utf8)))
    }

    private static func key(_ name: String) throws(ConfigurationError) -> ConfigurationKey {
        guard let key = ConfigurationKey.find(name) else {
            throw ConfigurationError(
                problem: ConfigurationProblem(
                    path: "boxagent config", what: ConfigurationKey.absence(of: name),
                    cure: "'boxagent config' lists them"))
        }
        return key
    }
}

extension ConfigurationKey {
    /// True if the values are texts, which may be typed without quotation marks on a command line.
    var takesText: Bool {
        switch rule {
        case .path, .choice, .adapter, .webPage, .boxID, .busAddress: true
        default: false
        }
    }
}
