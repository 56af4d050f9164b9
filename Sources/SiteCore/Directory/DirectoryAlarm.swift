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
            "\(count) users are gone from the directory at once (\(Self.list(names, of: count))), and none was revoked: "
                + "check whether the directory is complete; if they have left, run boxsite directory accept"
        case .strangers(let count, let names):
            "\(count) users were never in the directory (\(Self.list(names, of: count))): revoke them with "
                + "boxsite user revoke, or name them in local_users"
        case .renamed(let count, let names):
            "\(count) users have another name in the directory (\(Self.list(names, of: count))): revoke them by the "
                + "site's name with boxsite user revoke, and give new phones to the directory's name"
        case .unclear(let count, let why):
            "the directory gives no clear answer about \(count) users, who are not revoked; about the first: \(why)"
        }
    }

    private static func list(_ names: [String], of count: Int) -> String {
        names.joined(separator: ", ") + (names.count < count ? " …" : "")
    }
}
