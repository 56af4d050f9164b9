import CSessionHook
import PAMLogicEmbedded

/// The user of the session, from the user database.
struct HookUser {
    let name: [UInt8]
    let user: uid_t
    let group: gid_t
    let home: [UInt8]
    let shell: [UInt8]

    enum Problem {
        case unknown, root, another, notDropped

        var text: StaticString {
            switch self {
            case .unknown: "the user database does not know the user"
            case .root: "it is not run for root"
            case .another: "session-hook was not started by root or the session's user"
            case .notDropped: "root's rights could not be dropped"
            }
        }
    }

    /// Variables for every program of the user, from the account and not from the program that opened the session.
    var environment: [[UInt8]] {
        [
            TextLine("PATH=/usr/local/bin:/usr/bin:/bin").bytes, TextLine("HOME=").bytes + home,
            TextLine("SHELL=").bytes + shell, TextLine("USER=").bytes + name, TextLine("LOGNAME=").bytes + name,
        ]
    }

    private static let entryBytes = 65_536

    // SAFETY: the strings of the entry live in `memory`, and are copied before it is freed.
    static func find(_ name: [UInt8]) -> HookUser? {
        guard let memory = malloc(entryBytes) else { return nil }
        defer { free(memory) }
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        name.withCString { text in
            _ = getpwnam_r(text, &entry, memory.assumingMemoryBound(to: CChar.self), entryBytes, &found)
        }
        guard found != nil else { return nil }
        return HookUser(
            name: name, user: entry.pw_uid, group: entry.pw_gid, home: copy(entry.pw_dir), shell: copy(entry.pw_shell))
    }

    /// Drops root's privileges permanently (groups, then gid, then uid), and checks that they are gone.
    func become() -> Problem? {
        guard user != 0 else { return .root }
        guard geteuid() == 0 else { return getuid() == user && geteuid() == user ? nil : .another }
        var isGrouped = false
        name.withCString { isGrouped = initgroups($0, group) == 0 }
        guard isGrouped, setresgid(group, group, group) == 0, setresuid(user, user, user) == 0 else {
            return .notDropped
        }
        var users: (uid_t, uid_t, uid_t) = (0, 0, 0)
        var groups: (gid_t, gid_t, gid_t) = (0, 0, 0)
        guard getresuid(&users.0, &users.1, &users.2) == 0, getresgid(&groups.0, &groups.1, &groups.2) == 0,
            users == (user, user, user), groups == (group, group, group), setuid(0) != 0
        else { return .notDropped }
        return nil
    }

    // SAFETY: the text is a C string of the entry, or null.
    private static func copy(_ text: UnsafePointer<CChar>?) -> [UInt8] {
        guard let text else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: text, count: strlen(text)))
    }
}
