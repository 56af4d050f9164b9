import Glibc

/// The program's standard output and error, for use before there is a log.
enum Console {
    static func write(_ descriptor: Int32, _ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            // SAFETY: pointer and length describe `rest`, which outlives the call.
            let written = rest.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress, buffer.count)
            }
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }

    /// Sends the text without waiting, and returns whether the socket accepted all of it.
    static func writeAtOnce(_ socket: Int32, _ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return send(socket, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) == bytes.count
    }

    /// True if systemd connected standard error to the journal. The variable holds device and inode of that connection,
    /// since child programs inherit it even if their standard error is another one (systemd.exec(5)).
    static var isJournal: Bool {
        var status = stat()
        guard let value = getenv("JOURNAL_STREAM"), fstat(2, &status) == 0 else { return false }
        // SAFETY: the environment is not changed while this program runs; the text is copied at once.
        return String(cString: value) == "\(status.st_dev):\(status.st_ino)"
    }
}

/// The version of the package, defined only here.
public enum AgentVersion {
    public static let text = "0.1.0"
}
