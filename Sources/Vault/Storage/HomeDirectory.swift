import Glibc
import VaultPort

/// Recognises home directories. Their owners decide about their modes: a wider mode would expose more than a vault.
enum HomeDirectory {
    static func isOne(_ path: String) -> Bool { isOne(path, home: environment) }

    /// Recognises homes by their usual places and `home`. It does not query the user database, which may use the
    /// network. A service's home below /var is its state directory, not a person's home.
    static func isOne(_ path: String, home: String?) -> Bool {
        let parts = components(path)
        if let home, path.hasPrefix("/"), parts.first != "var", parts == components(home) { return true }
        return path.hasPrefix("/") && (parts == ["root"] || parts.first == "home" && parts.count <= 2)
    }

    /// Returns the error that replaces a chmod command for a home directory. `path` is the directory or inside it.
    static func refusal(of directory: String, for path: String) -> VaultError {
        if components(directory) == components(path) {
            return .unusable(path: path, reason: "it is a home directory; choose a separate directory inside it")
        }
        return .unusable(
            path: path,
            reason:
                "user \(geteuid()) has no access to the home directory \(directory); choose another place, for instance "
                + "below /var/lib")
    }

    private static func components(_ path: String) -> [Substring] {
        path.split(separator: "/").filter { $0 != "." }
    }

    private static var environment: String? {
        // SAFETY: the string is copied at once; nothing here changes the environment.
        guard let value = getenv("HOME") else { return nil }
        return String(cString: value)
    }
}
