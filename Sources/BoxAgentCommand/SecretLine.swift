import CommandTool
import Glibc
import Secrets

/// One secret line: typed without echo, from a file, or from standard input.
struct SecretLine: ~Copyable {
    /// Longest line, in bytes; a longer line is not a code.
    static let byteLimit = 1_024

    let bytes: SecretBytes

    init(from path: String?, _ terminal: Terminal) throws(CommandFailure) {
        if let path {
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
            guard descriptor >= 0 else {
                throw CommandFailure(
                    .negative, "the file with the code cannot be read: \(String(cString: strerror(errno)))",
                    cure: "check its name and its permissions")
            }
            defer { close(descriptor) }
            bytes = try Self.read(descriptor)
        } else {
            bytes = terminal.inputIsTerminal ? try Self.ask(terminal) : try Self.read(STDIN_FILENO)
        }
    }

    private static func ask(_ terminal: Terminal) throws(CommandFailure) -> SecretBytes {
        var settings = termios()
        guard tcgetattr(STDIN_FILENO, &settings) == 0 else {
            throw CommandFailure(.usage, "the terminal's settings cannot be read", cure: "use --code-file")
        }
        var quiet = settings
        // ECHONL still shows the end of the line, so that the next output starts on a new line. ISIG is off, because a
        // signal would leave the terminal without echo. Ctrl-C ends the line instead.
        quiet.c_lflag = quiet.c_lflag & ~tcflag_t(ECHO | ISIG | ICANON) | tcflag_t(ECHONL)
        tcsetattr(STDIN_FILENO, TCSAFLUSH, &quiet)
        defer {
            tcsetattr(STDIN_FILENO, TCSAFLUSH, &settings)
            terminal.say("", to: .error)
        }
        terminal.prompt("Join code (not shown): ")
        return try read(STDIN_FILENO)
    }

    /// Reads up to the end of the line or of the input.
    private static func read(_ descriptor: Int32) throws(CommandFailure) -> SecretBytes {
        var line = SecretBytes(count: byteLimit)
        var count = 0
        while count < byteLimit {
            let at = count
            let got = line.withMutableBytes { bytes in
                // SAFETY: one byte is read, to a place inside the buffer.
                bytes.withUnsafeMutableBytes { Glibc.read(descriptor, $0.baseAddress.map { $0 + at }, 1) }
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { break }
            switch line.byte(at: count) {
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if count > 0 { return line.slice(0..<count) }
            // Ctrl-C and Ctrl-D, if the terminal passes them on.
            case 0x03, 0x04: throw CommandFailure(.negative, "no code was entered; nothing was changed")
            // Backspace and Delete remove the last character.
            case 0x08, 0x7F: count = max(0, count - 1)
            default: count += 1
            }
        }
        guard count > 0, count < byteLimit else {
            throw CommandFailure(
                .invalid, "this is not a join code", cure: "copy the whole line that 'boxsite box add' prints")
        }
        return line.slice(0..<count)
    }
}
