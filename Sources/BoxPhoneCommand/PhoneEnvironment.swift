import ConfigurationFile
import Glibc
import TextOutput

/// The environment variables that locate the user's file or override its settings.
struct PhoneEnvironment: Sendable {
    let home: String?
    let configHome: String?
    let dataHome: String?
    /// The value of BOXPHONE_RADIO.
    let radio: String?

    static var current: PhoneEnvironment {
        PhoneEnvironment(
            home: variable("HOME"), configHome: variable("XDG_CONFIG_HOME"), dataHome: variable("XDG_DATA_HOME"),
            radio: variable("BOXPHONE_RADIO"))
    }

    /// The user's file, or nil without a home.
    var file: String? { Self.directory(configHome, or: home, "/.config").map { $0 + "/config.toml" } }

    /// Returns the vault's default directory.
    func vaultDirectory() throws(Complaint) -> String {
        if let directory = Self.directory(dataHome, or: home, "/.local/share") { return directory }
        throw Complaint(.usage, "XDG_DATA_HOME and HOME are not set; name a directory with --directory DIR")
    }

    /// Returns the defaults, overridden by the file and then by the environment.
    func settings() throws(Complaint) -> PhoneSettings {
        var settings = PhoneSettings()
        if let file {
            do throws(ConfigurationError) {
                if let document = try TOMLDocument(ifPresent: file) {
                    settings = try PhoneSettings(document, path: file)
                }
            } catch {
                throw Complaint(.vault, error.description)
            }
        }
        try override(&settings)
        return settings
    }

    func override(_ settings: inout PhoneSettings) throws(Complaint) {
        guard let radio, !radio.isEmpty else { return }
        guard let chosen = PhoneSettings.Radio(rawValue: radio) else {
            throw Complaint(
                .usage, "BOXPHONE_RADIO=\"\(radio.escaped)\" is not valid; set it to loopback or bluez, or unset it")
        }
        settings.radio = chosen
    }

    /// Returns boxphone's directory. Ignores relative paths, as the XDG Base Directory Specification requires.
    private static func directory(_ xdg: String?, or home: String?, _ below: String) -> String? {
        if let xdg, xdg.hasPrefix("/") { return xdg + "/boxphone" }
        if let home, home.hasPrefix("/") { return home + below + "/boxphone" }
        return nil
    }

    private static func variable(_ name: String) -> String? {
        // SAFETY: the string is copied at once; nothing in this single-threaded program changes the environment.
        guard let value = getenv(name) else { return nil }
        return String(cString: value)
    }
}
