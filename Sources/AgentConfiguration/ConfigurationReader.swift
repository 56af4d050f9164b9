import ConfigurationFile

/// Reads several files into one configuration and collects the problems of all.
struct ConfigurationReader {
    private var configuration = Configuration()
    private var origins: [String: [ConfigurationOrigin]] = [:]
    private var files = 0
    var problems: [ConfigurationProblem] = []

    mutating func read(_ document: TOMLDocument, path: String) {
        var found: [ConfigurationProblem] = []
        for entry in document.entries {
            if let problem = take(entry, path) { found.append(problem) }
        }
        // Sorts the problems by line.
        problems += found.sorted { ($0.line ?? 0) < ($1.line ?? 0) }
        files += 1
    }

    /// Returns the configuration, or throws all problems. Contradictions count only if every value is valid.
    consuming func finished(_ paths: [String]) throws(ConfigurationError) -> LoadedConfiguration {
        if problems.isEmpty { problems = configuration.contradictions(origins, path: paths.last ?? "") }
        if let error = ConfigurationError(problems: problems) { throw error }
        return LoadedConfiguration(configuration: configuration, files: paths, origins: origins)
    }

    private mutating func take(_ entry: TOMLDocument.Entry, _ path: String) -> ConfigurationProblem? {
        if entry.table.isEmpty, ConfigurationKey.sections.contains(entry.key) {
            guard entry.value != .table else { return nil }
            return ConfigurationProblem(
                path: path, line: entry.line, what: "\(entry.key) is a section, not a key",
                cure: "write [\(entry.key)] on a line of its own and its keys below")
        }
        guard let key = ConfigurationKey.find(section: entry.table, name: entry.key) else {
            // An unknown section is reported once, without its keys.
            guard entry.table.isEmpty || ConfigurationKey.sections.contains(entry.table) else { return nil }
            return Self.unknown(entry, path)
        }
        if let (what, cure) = key.problem(with: entry.value, key.expectation) {
            return ConfigurationProblem(path: path, line: entry.line, what: "\(key.fullName) \(what)", cure: cure)
        }
        origins[key.fullName, default: []].append(ConfigurationOrigin(path: path, line: entry.line, file: files))
        key.store(entry.value, &configuration)
        return nil
    }

    private static func unknown(_ entry: TOMLDocument.Entry, _ path: String) -> ConfigurationProblem {
        let printable = { (text: String) in String(text.unicodeScalars.map { $0.value < 0x20 ? "?" : Character($0) }) }
        guard entry.value != .table || !entry.table.isEmpty else {
            return ConfigurationProblem(
                path: path, line: entry.line, what: "unknown section [\(printable(entry.key))]",
                cure: "the sections are " + ConfigurationKey.sections.map { "[\($0)]" }.joined(separator: " "))
        }
        let candidates = ConfigurationKey.all.filter { entry.table.isEmpty || $0.section == entry.table }
        let name = entry.table.isEmpty ? entry.key : "\(entry.table).\(entry.key)"
        let cure: String
        if entry.table.isEmpty, let key = candidates.first(where: { $0.name == entry.key }) {
            cure = "write it below [\(key.section)]"
        } else if let nearest = Spelling.nearest(to: entry.key, among: candidates.map(\.name)) {
            cure = "did you mean \(nearest)?"
        } else if entry.table.isEmpty {
            cure = "every key belongs to a section; the commented default file lists them all"
        } else {
            cure = "the keys of [\(entry.table)] are " + candidates.map(\.name).joined(separator: ", ")
        }
        return ConfigurationProblem(
            path: path, line: entry.line, what: "unknown key \(printable(name))", cure: cure)
    }
}
