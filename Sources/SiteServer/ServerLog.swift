import Glibc
import SiteCore

/// The server's log: lines on standard error, with priorities for systemd (sd-daemon(3)). It never gets secrets.
struct ServerLog: Sendable {
    private let forJournal = getenv("JOURNAL_STREAM") != nil

    func error(_ text: String) { write(3, text) }
    func warning(_ text: String) { write(4, text) }
    func notice(_ text: String) { write(5, text) }

    func write(_ line: SiteLogLine) {
        switch line.level {
        case .error: error(line.text)
        case .warning: warning(line.text)
        case .notice: notice(line.text)
        }
    }

    private func write(_ priority: Int, _ text: String) {
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " | ")
        let bytes = Array(((forJournal ? "<\(priority)>" : "boxsited: ") + line + "\n").utf8)
        // A journal that does not read must not hold up ten thousand boxes.
        if forJournal, send(2, bytes, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)) >= 0 { return }
        _ = Glibc.write(2, bytes, bytes.count)
    }
}
