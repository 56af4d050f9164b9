import Sessions

extension Configuration {
    /// Reads the file at `path`. Keys that it does not set keep their defaults.
    public static func load(path: String) throws(ConfigurationError) -> Configuration {
        try read(try TOMLDocument(path: path), path: path)
    }

    /// Reads `bytes` as if they were the file at `path`.
    public static func parse(_ bytes: [UInt8], path: String) throws(ConfigurationError) -> Configuration {
        try read(try TOMLDocument(bytes: bytes, path: path), path: path)
    }

    /// The names of the keys that differ from `other` and take effect only when the agent starts again.
    public func changesThatNeedRestart(to other: Configuration) -> [String] {
        ConfigurationKey.all.filter { !$0.reloadable && $0.load(self) != $0.load(other) }.map(\.fullName)
    }

    /// What a reload makes of this configuration: `other`'s policy, and of this what only a start can change.
    public func reloaded(from other: Configuration) -> Configuration {
        ConfigurationKey.all.reduce(into: self) { result, key in
            if key.reloadable { key.store(key.load(other), &result) }
        }
    }

    private static func read(_ document: TOMLDocument, path: String) throws(ConfigurationError) -> Configuration {
        var configuration = Configuration()
        var problems: [ConfigurationProblem] = []
        var lines: [String: Int] = [:]
        for entry in document.entries {
            if entry.table.isEmpty, ConfigurationKey.sections.contains(entry.key) {
                if entry.value != .table {
                    problems.append(
                        ConfigurationProblem(
                            line: entry.line, what: "\(entry.key) is a section, not a key",
                            cure: "write [\(entry.key)] on a line of its own and its keys below"))
                }
                continue
            }
            guard let key = ConfigurationKey.find(section: entry.table, name: entry.key) else {
                // The keys of an unknown section are not listed one by one as well.
                if entry.table.isEmpty || ConfigurationKey.sections.contains(entry.table) {
                    problems.append(unknown(entry))
                }
                continue
            }
            lines[key.fullName] = entry.line
            if let (what, cure) = key.problem(with: entry.value) {
                problems.append(ConfigurationProblem(line: entry.line, what: "\(key.fullName) \(what)", cure: cure))
            } else {
                key.store(entry.value, &configuration)
            }
        }
        if problems.isEmpty { problems = configuration.contradictions(lines) }
        if let error = ConfigurationError(path: path, problems: problems) { throw error }
        return configuration
    }

    private static func unknown(_ entry: TOMLDocument.Entry) -> ConfigurationProblem {
        let printable = { (text: String) in String(text.unicodeScalars.map { $0.value < 0x20 ? "?" : Character($0) }) }
        guard entry.value != .table || !entry.table.isEmpty else {
            return ConfigurationProblem(
                line: entry.line, what: "there is no section [\(printable(entry.key))]",
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
            cure = "every key stands in a section; the commented default file has them all"
        } else {
            cure = "the keys of [\(entry.table)] are " + candidates.map(\.name).joined(separator: ", ")
        }
        return ConfigurationProblem(line: entry.line, what: "there is no key \(printable(name))", cure: cure)
    }

    /// What keys say against one another.
    private func contradictions(_ lines: [String: Int]) -> [ConfigurationProblem] {
        var problems: [ConfigurationProblem] = []
        func add(_ keys: [String], _ what: String, _ cure: String) {
            problems.append(
                ConfigurationProblem(line: keys.compactMap { lines[$0] }.max(), what: what, cure: cure))
        }
        let times = autoLogout
        if times.minimumSeconds > times.maximumSeconds {
            add(
                ["auto_logout.minimum_seconds", "auto_logout.maximum_seconds"],
                "auto_logout.minimum_seconds is more than auto_logout.maximum_seconds", "raise one or lower the other")
        } else if times.defaultSeconds == 0 {
            if !times.mayBeOff {
                add(
                    ["auto_logout.may_be_off", "auto_logout.default_seconds"],
                    "auto_logout.may_be_off is false, but auto_logout.default_seconds is 0",
                    "set default_seconds to the time after which people are logged out")
            }
        } else if !(times.minimumSeconds...times.maximumSeconds).contains(times.defaultSeconds) {
            add(
                ["auto_logout.default_seconds", "auto_logout.minimum_seconds", "auto_logout.maximum_seconds"],
                "auto_logout.default_seconds is not within the bounds below it",
                "write 0 or a number from \(times.minimumSeconds) to \(times.maximumSeconds)")
        }
        if let both = elevation.services.first(where: login.services.contains) {
            add(
                ["elevation.services", "login.services"],
                "\(both) is named in login.services and in elevation.services",
                "name it in one: people sign in by the one, and allow something more by the other")
        }
        if presence.nearDBm - presence.farDBm < PresenceThresholds.gapDB {
            add(
                ["presence.near_dbm", "presence.far_dbm"],
                "presence.near_dbm is less than \(PresenceThresholds.gapDB) above presence.far_dbm",
                "raise near_dbm or lower far_dbm, for instance near_dbm = -60 and far_dbm = -80")
        }
        if limits.halfOpenLinks > limits.links {
            add(
                ["limits.half_open_links", "limits.links"], "limits.half_open_links is more than limits.links",
                "raise links or lower half_open_links")
        }
        return problems
    }
}
