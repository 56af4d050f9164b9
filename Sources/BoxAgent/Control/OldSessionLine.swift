import EventLoop

/// A line of PAM's that an earlier version had pam-auth-update write: pam_exec(8) starts its program as root, with variables
/// that users have written. The program is not there any more, so the line does nothing; it should not be there either.
enum OldSessionLine {
    private static let directory = "/etc/pam.d"
    private static let limit = 512

    /// The files that have one.
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
