import EventLoop

/// A PAM line that an earlier version added with pam-auth-update. It makes pam_exec(8) start a program as root, with
/// variables that users control. The program no longer exists, so the line has no effect, but it should be removed.
enum OldSessionLine {
    private static let directory = "/etc/pam.d"
    private static let limit = 512

    /// Returns the files that contain such a line.
    static func files() -> [String] {
        Directories.names(in: directory, limit: limit).sorted().map { "\(directory)/\($0)" }.filter { path in
            PAMStack.lines(in: path).contains { line in
                !line.hasPrefix("#") && isOld(line.split(whereSeparator: { $0 == " " || $0 == "\t" }))
            }
        }
    }

    static func isOld(_ words: [Substring]) -> Bool {
        words.contains { $0 == "pam_exec.so" || $0.hasSuffix("/pam_exec.so") }
            && words.contains { $0.hasSuffix("/boxagent-session") }
    }
}
