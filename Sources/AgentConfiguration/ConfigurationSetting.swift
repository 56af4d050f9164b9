import ConfigurationFile

/// The current value of one key, for people and programs that query the agent's configuration.
public struct ConfigurationSetting: Equatable, Sendable {
    /// The full name, such as "login.hold_seconds".
    public let name: String
    /// The value as a file would have it.
    public let value: String
    public let isDefault: Bool
    /// The places where the value was written, in the order of reading. The last one applies. Empty for a default.
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

    /// Returns the message for a name that is not a key, or nil for a key.
    public static func problem(withName name: String) -> String? {
        ConfigurationKey.find(name) == nil ? ConfigurationKey.absence(of: name) : nil
    }
}

extension ConfigurationKey {
    /// Returns the message that no key has this name, with the nearest name.
    static func absence(of name: String) -> String {
        let nearest = Spelling.nearest(to: name, among: all.map(\.fullName))
        let cure = nearest.map { "did you mean \($0)?" } ?? "boxagent.toml(5) lists all keys"
        return "unknown key \(name); \(cure)"
    }
}
