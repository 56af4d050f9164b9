/// A problem of the directory that an administrator must solve.
public enum DirectoryAlarm: Sendable, Equatable {
    /// No round has ended for this many seconds, for the given reason if it is known.
    case silent(UInt64, why: String?)
    /// This many users have left at once. None was revoked, because they are too many.
    case halted(Int, names: [String])
    /// Users whom the directory never had.
    case strangers(Int, names: [String])
    /// Users whom the directory has by another name, each with that name.
    case renamed(Int, names: [String])
    /// Users about whom the directory gives no clear answer.
    case unclear(Int, why: String)

    public var text: String {
        switch self {
        case .silent(let seconds, let why):
            "the directory was not checked for \(seconds) s, so users who leave it are not revoked: "
                + (why ?? "see systemctl status boxsite-directory")
        case .halted(let count, let names):
            "users who left the directory at once: \(count) (\(Self.list(names, of: count))). None was revoked: "
                + "check whether the directory is complete; if they have left, run boxsite directory accept"
        case .strangers(let count, let names):
            "users who were never in the directory: \(count) (\(Self.list(names, of: count))). Revoke them with "
                + "boxsite user revoke, or name them in local_users"
        case .renamed(let count, let names):
            "users whose name in the directory is different: \(count) (\(Self.list(names, of: count))). Revoke them by "
                + "the old name with boxsite user revoke, then enrol their phones by the name in the directory"
        case .unclear(let count, let why):
            "users about whom the directory gives no clear answer: \(count). None was revoked. About the first: \(why)"
        }
    }

    private static func list(_ names: [String], of count: Int) -> String {
        names.joined(separator: ", ") + (names.count < count ? " …" : "")
    }
}
