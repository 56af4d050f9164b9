import ConfigurationFile

/// A configuration, and where each of its values was written.
public struct LoadedConfiguration: Equatable, Sendable {
    public let configuration: Configuration
    /// The files that were read, in their order: the administrator's file, then those of conf.d.
    public let files: [String]
    /// By a key's full name, in the order of reading: the last holds. Keys that nobody wrote are not here.
    public let origins: [String: [ConfigurationOrigin]]

    /// Reads the file at `path`, then the files of conf.d beside it in the order of their names; a later one overrides an earlier
    /// one key by key. Keys that none sets keep their defaults.
    public static func read(path: String) throws(ConfigurationError) -> LoadedConfiguration {
        try read(path: path, draft: nil)
    }

    /// As `read(path:)`, with the draft in the place of the file that it is of, whether that file is there or not.
    static func read(
        path: String, draft: (file: String, bytes: [UInt8])?
    ) throws(ConfigurationError) -> LoadedConfiguration {
        var reader = ConfigurationReader()
        var others = try ConfigurationDirectory.files(beside: path)
        if let draft, !others.contains(draft.file) {
            others.append(draft.file)
            others.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
        let files = [path] + others
        for file in files {
            do {
                let document =
                    if let draft, draft.file == file {
                        try TOMLDocument(bytes: draft.bytes, path: file)
                    } else {
                        try TOMLDocument(path: file)
                    }
                reader.read(document, path: file)
            } catch {
                reader.problems += error.problems
            }
        }
        return try reader.finished(files)
    }

    /// Reads `bytes` as if they were the file at `path`, alone.
    public static func parse(_ bytes: [UInt8], path: String) throws(ConfigurationError) -> LoadedConfiguration {
        var reader = ConfigurationReader()
        reader.read(try TOMLDocument(bytes: bytes, path: path), path: path)
        return try reader.finished([path])
    }
}

extension Configuration {
    /// What `LoadedConfiguration.read` makes of the file at `path` and those beside it.
    public static func load(path: String) throws(ConfigurationError) -> Configuration {
        try LoadedConfiguration.read(path: path).configuration
    }

    /// Reads `bytes` as if they were the file at `path`.
    public static func parse(_ bytes: [UInt8], path: String) throws(ConfigurationError) -> Configuration {
        try LoadedConfiguration.parse(bytes, path: path).configuration
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
}
