import ConfigurationFile

/// One key as it holds: for people and programs that ask what the agent was told.
public struct ConfigurationSetting: Equatable, Sendable {
    /// "login.hold_seconds".
    public let name: String
    /// As it would stand in a file.
    public let value: String
    public let isDefault: Bool
    /// In the order of reading: the last holds, the others are overridden. Empty for a default.
    public let origins: [ConfigurationOrigin]
    public let needsRestart: Bool
}

extension LoadedConfiguration {
    /// Every key, in the order of the commented file.
    public var settings: [ConfigurationSetting] {
        ConfigurationKey.all.map { key in
            ConfigurationSetting(
                name: key.fullName, value: ConfigurationText.render(key.load(configuration)),
                isDefault: origins[key.fullName] == nil, origins: origins[key.fullName] ?? [],
                needsRestart: !key.reloadable)
        }
    }

    /// What to say of a name that no key has; nil for a key's.
    public static func problem(withName name: String) -> String? {
        ConfigurationKey.find(name) == nil ? ConfigurationKey.absence(of: name) : nil
    }
}

extension ConfigurationKey {
    /// That there is no key of this name, and which is nearest.
    static func absence(of name: String) -> String {
        let nearest = Spelling.nearest(to: name, among: all.map(\.fullName))
        let cure = nearest.map { "did you mean \($0)?" } ?? "boxagent.toml(5) lists all keys"
        return "unknown key \(name); \(cure)"
    }
}
