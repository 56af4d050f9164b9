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

    /// The names of all keys, and what is nearest to one that does not exist.
    public static func problem(withName name: String) -> String? {
        let names = ConfigurationKey.all.map(\.fullName)
        if names.contains(name) { return nil }
        let nearest = Spelling.nearest(to: name, among: names)
        let cure = nearest.map { "did you mean \($0)?" } ?? "boxagent.toml(5) has them all"
        return "there is no key \(name); \(cure)"
    }
}
