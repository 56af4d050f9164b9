import Glibc

/// Standard input, output and error, which may be a terminal or not.
package struct Terminal {
    package init() {}

    package enum Stream {
        case output
        case error

        fileprivate var descriptor: Int32 { self == .output ? STDOUT_FILENO : STDERR_FILENO }
    }

    package enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case bold = "1"
    }

    package let inputIsTerminal = isatty(STDIN_FILENO) == 1
    package let outputIsTerminal = isatty(STDOUT_FILENO) == 1
    package let errorIsTerminal = isatty(STDERR_FILENO) == 1
    /// True if NO_COLOR is set and not empty (no-color.org).
    package let coloursAreUnwanted: Bool = {
        // SAFETY: the environment does not change while this program runs, and one byte of it is read.
        guard let value = getenv("NO_COLOR") else { return false }
        return value.pointee != 0
    }()

    /// Prints a sentence and a line break. On a terminal, it is wrapped at words.
    package func say(_ line: String, to stream: Stream = .output, hanging: Int = 0) {
        sayWhole(
            WordWrap.lines(line, width: width(of: stream), hanging: hanging).joined(separator: "\n"), to: stream)
    }

    /// Prints one unbroken line at any width, for text that programs read or users copy.
    package func sayWhole(_ line: String, to stream: Stream = .output) {
        write(Array((line + "\n").utf8), to: stream)
    }

    /// Prints a problem, with its cures below.
    package func complain(_ complaint: ProblemText, by program: String? = nil) {
        say((program.map { $0 + ": " } ?? "") + complaint.what, to: .error, hanging: 2)
        for cure in complaint.cures { say("  " + cure, to: .error, hanging: 4) }
    }

    /// Returns the text in a colour if the stream shows colours.
    package func paint(_ text: String, _ colour: Colour, on stream: Stream = .output) -> String {
        isTerminal(stream) && !coloursAreUnwanted && !isDumb ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Prints a line on standard error that the next one replaces, cut at the terminal's width. Prints nothing unless
    /// standard error is a terminal that can replace a line.
    package func progress(_ line: String) {
        guard let width = width(of: .error), !isDumb else { return }
        let shown = line.count < width ? line : line.prefix(max(0, width - 2)) + "…"
        write(Array("\r\u{1B}[K\(shown)".utf8), to: .error)
    }

    package func endProgress() {
        progress("")
    }

    /// The width of a terminal that does not report one.
    private static let usualWidth = 80

    /// The columns of the terminal on standard output, or nil if it is not a terminal.
    package var columns: Int? { width(of: .output) }

    /// Returns the columns of the terminal on a stream, or nil if the stream is not a terminal.
    package func width(of stream: Stream) -> Int? {
        guard isTerminal(stream) else { return nil }
        var size = winsize()
        guard ioctl(stream.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return Self.usualWidth }
        return Int(size.ws_col)
    }

    /// The columns for help: from COLUMNS, or else of the terminal, or else the usual width.
    package var helpColumns: Int {
        // SAFETY: the string is copied at once, and the environment does not change while this program runs.
        if let value = getenv("COLUMNS"), let columns = Int(String(cString: value)), columns > 0 { return columns }
        return columns ?? Self.usualWidth
    }

    private func isTerminal(_ stream: Stream) -> Bool { stream == .output ? outputIsTerminal : errorIsTerminal }

    /// Columns and lines of the terminal. Nil if standard output is not a terminal, or does not report its size.
    package var size: (columns: Int, lines: Int)? {
        var size = winsize()
        guard outputIsTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// True if this is a Linux text console, by TERM.
    package var isLinuxConsole: Bool { Self.term("linux") }

    /// True if the terminal ignores control codes, so that it has no colours and cannot replace a line.
    package var isDumb: Bool { Self.term("dumb") }

    private static func term(_ name: String) -> Bool {
        // SAFETY: the environment does not change while this program runs.
        guard let value = getenv("TERM") else { return false }
        return strcmp(value, name) == 0
    }

    /// Shows a question on standard error. The caller reads the answer.
    package func ask(_ question: String) {
        prompt(question + " [y/N] ")
    }

    /// Shows a prompt on standard error. The caller reads the input.
    package func prompt(_ text: String) {
        let lines = WordWrap.lines(text, width: width(of: .error))
        write(Array(lines.joined(separator: "\n").utf8), to: .error)
    }

    /// Asks a question on standard error and reads one line. Returns true only for yes.
    package func confirm(_ question: String) -> Bool {
        // Discards input that was typed before the question was shown (tcflush(3)).
        if inputIsTerminal { tcflush(STDIN_FILENO, TCIFLUSH) }
        ask(question)
        let answer = readLine(strippingNewline: true)
        if answer == nil { say("", to: .error) }
        return ["y", "yes"].contains(answer?.lowercased() ?? "")
    }

    /// Asks for a name on standard error. Returns nil for an empty line, the end of the input or without a terminal.
    package func askForName(_ question: String) -> String? {
        guard inputIsTerminal else { return nil }
        prompt(question + " ")
        guard let answer = readLine(strippingNewline: true), !answer.isEmpty else { return nil }
        return answer
    }

    private func write(_ bytes: [UInt8], to stream: Stream) {
        // SAFETY: `write(all:)` does not keep the buffer.
        bytes.withUnsafeBytes { buffer in
            Self.write(all: buffer, to: stream.descriptor)
        }
    }

    /// Writes bytes that must not be copied into a String.
    package func write(_ bytes: RawSpan) {
        // SAFETY: `write(all:)` does not keep the buffer.
        bytes.withUnsafeBytes { buffer in
            Self.write(all: buffer, to: STDOUT_FILENO)
        }
    }

    private static func write(all buffer: UnsafeRawBufferPointer, to descriptor: Int32) {
        var sent = 0
        while sent < buffer.count, let base = buffer.baseAddress {
            // SAFETY: `sent` is less than the count, so the address is inside the buffer.
            let count = Glibc.write(descriptor, base + sent, buffer.count - sent)
            if count < 0 && errno == EINTR { continue }
            // The reader closed the output, which is not an error to report.
            guard count > 0 else { return }
            sent += count
        }
    }
}
