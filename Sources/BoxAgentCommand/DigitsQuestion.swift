import Glibc

/// Asks the administrator whether the digits are the same, while the phone may still disconnect.
///
/// It reads standard input by read(2) and never through stdio, because poll(2) does not see stdio's buffer.
struct DigitsQuestion: ~Copyable {
    enum Event {
        /// A line was typed. The end of the input counts as an empty line.
        case answered(isYes: Bool)
        /// The descriptor that `wait` was given is readable.
        case interrupted
    }

    /// Longer lines do not count as yes.
    private static let lineBytesLimit = 256
    private var line: [UInt8] = []

    /// Discards earlier input, which cannot answer a question that was not shown yet (tcflush(3)).
    init() {
        if isatty(STDIN_FILENO) == 1 { tcflush(STDIN_FILENO, TCIFLUSH) }
    }

    /// Waits for a line or for `descriptor`, which takes precedence if both are ready.
    mutating func wait(or descriptor: Int32) -> Event {
        while true {
            var entries = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            ]
            // SAFETY: poll(2) writes the two given entries and keeps no pointer.
            guard poll(&entries, 2, -1) > 0 else {
                if errno == EINTR { continue }
                return .answered(isYes: false)
            }
            if entries[0].revents != 0 { return .interrupted }
            var byte: UInt8 = 0
            // SAFETY: read(2) writes at most this one byte.
            let count = read(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count == 1, byte != UInt8(ascii: "\n"), line.count < Self.lineBytesLimit else {
                return .answered(isYes: isYes)
            }
            line.append(byte)
        }
    }

    private var isYes: Bool {
        let text = String(decoding: line, as: UTF8.self).lowercased()
        return text == "y" || text == "yes"
    }
}
