import Glibc

/// Standard output and error of the program itself, before there is a log.
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

    /// systemd connects standard error to the journal and says so by this variable (systemd.exec(5)).
    static var isJournal: Bool { getenv("JOURNAL_STREAM") != nil }
}

/// The version of the package; one place.
public enum AgentVersion {
    public static let text = "0.1.0"
}
