import Glibc
import VaultPort

/// Home directories: their modes are their owners' business, and a wider one bares more than a vault.
enum HomeDirectory {
    static func isOne(_ path: String) -> Bool { isOne(path, home: environment) }

    /// By the places where homes are, and `home`, without asking who has an account here: that may ask the network. A
    /// service's home below /var is its state directory, and no person's.
    static func isOne(_ path: String, home: String?) -> Bool {
        let parts = components(path)
        if let home, path.hasPrefix("/"), parts.first != "var", parts == components(home) { return true }
        return path.hasPrefix("/") && (parts == ["root"] || parts.first == "home" && parts.count <= 2)
    }

    /// What stands instead of a command that would open or close one; `path` is what should be used in or as it.
    static func refusal(of directory: String, for path: String) -> VaultError {
        if components(directory) == components(path) {
            return .unusable(path: path, reason: "it is a home directory; choose a separate directory inside it")
        }
        return .unusable(
            path: path,
            reason:
                "user \(geteuid()) may not use the home directory \(directory); choose another place, for instance "
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
