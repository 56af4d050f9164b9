import Glibc

/// Writes lines, each of which has left this process when its function returns.
enum Report {
    static func say(_ text: String) {
        put(text, to: 1)
    }

    static func complain(_ text: String) {
        put("VaultCrashDriver: " + text, to: 2)
    }

    private static func put(_ text: String, to descriptor: Int32) {
        let line = Array((text + "\n").utf8)
        // A short line goes into a pipe whole (pipe(7), PIPE_BUF).
        guard write(descriptor, line, line.count) == line.count else { exit(74) }
    }
}
