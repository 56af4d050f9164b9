import ConfigurationFile

/// A configuration with the places where its values were written.
public struct LoadedConfiguration: Equatable, Sendable {
    public let configuration: Configuration
    /// The files in the order of reading: the administrator's file, then those of conf.d.
    public let files: [String]
    /// Maps a key's full name to the places where its value was written, in the order of reading. The last place
    /// applies. A key with its default has no entry.
    public let origins: [String: [ConfigurationOrigin]]

    /// Reads the file at `path`, then the files of conf.d in the order of their names. A later file overrides an
    /// earlier one key by key. Other keys keep their defaults.
    public static func read(path: String) throws(ConfigurationError) -> LoadedConfiguration {
        try read(path: path, draft: nil)
    }

    /// Reads like `read(path:)`, but with the draft in place of its file, whether that file exists or not.
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

    /// Reads `bytes` as if they were the only file, at `path`.
    public static func parse(_ bytes: [UInt8], path: String) throws(ConfigurationError) -> LoadedConfiguration {
        var reader = ConfigurationReader()
        reader.read(try TOMLDocument(bytes: bytes, path: path), path: path)
        return try reader.finished([path])
    }
}

extension Configuration {
    /// Reads the configuration from the file at `path` and from conf.d beside it.
    public static func load(path: String) throws(ConfigurationError) -> Configuration {
        try LoadedConfiguration.read(path: path).configuration
    }

    /// Reads `bytes` as if they were the file at `path`.
    public static func parse(_ bytes: [UInt8], path: String) throws(ConfigurationError) -> Configuration {
        try LoadedConfiguration.parse(bytes, path: path).configuration
    }

    /// Returns the names of the keys that differ from `other` and need a restart of the agent.
    public func changesThatNeedRestart(to other: Configuration) -> [String] {
        ConfigurationKey.all.filter { !$0.reloadable && $0.load(self) != $0.load(other) }.map(\.fullName)
    }

    /// Returns this configuration after a reload of `other`. Keys that need a restart keep their values.
    public func reloaded(from other: Configuration) -> Configuration {
        ConfigurationKey.all.reduce(into: self) { result, key in
            if key.reloadable { key.store(key.load(other), &result) }
        }
    }
}
