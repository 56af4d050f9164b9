import Glibc

/// The administrator's answer to "are they the same?", typed while the phone may still go away.
///
/// Standard input is read here by read(2), never through stdio: what stdio has taken ahead poll(2) does not see.
struct DigitsQuestion: ~Copyable {
    enum Event {
        /// A line; the end of the input is an empty one.
        case answered(isYes: Bool)
        /// Another descriptor has something to say.
        case interrupted
    }

    /// Longer lines are no yes.
    private static let lineBytesLimit = 256
    private var line: [UInt8] = []

    /// What was typed ahead answers no question that was not read yet (tcflush(3)).
    init() {
        if isatty(STDIN_FILENO) == 1 { tcflush(STDIN_FILENO, TCIFLUSH) }
    }

    /// Waits for a line or for `descriptor`, which comes first when both are there.
    mutating func wait(or descriptor: Int32) -> Event {
        while true {
            var entries = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            ]
            // SAFETY: poll(2) writes the two entries that it is given, and keeps nothing.
            guard poll(&entries, 2, -1) > 0 else {
                if errno == EINTR { continue }
                return .answered(isYes: false)
            }
            if entries[0].revents != 0 { return .interrupted }
            var byte: UInt8 = 0
            // SAFETY: read(2) writes at most the one byte.
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
