import Glibc

/// Standard input, output and error, as a person or a script sees them.
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
    /// no-color.org: set and not empty.
    package let coloursAreUnwanted: Bool = {
        // SAFETY: the environment is not changed while this program runs; one byte of it is read.
        guard let value = getenv("NO_COLOR") else { return false }
        return value.pointee != 0
    }()

    /// A sentence, with a line break behind it. On a terminal it is broken at words.
    package func say(_ line: String, to stream: Stream = .output, hanging: Int = 0) {
        sayWhole(
            WordWrap.lines(line, width: width(of: stream), hanging: hanging).joined(separator: "\n"), to: stream)
    }

    /// What programs read or a person copies, in one line whatever the terminal's width.
    package func sayWhole(_ line: String, to stream: Stream = .output) {
        write(Array((line + "\n").utf8), to: stream)
    }

    /// What is wrong, and below it what to do about it.
    package func complain(_ complaint: ProblemText, by program: String? = nil) {
        say((program.map { $0 + ": " } ?? "") + complaint.what, to: .error, hanging: 2)
        for cure in complaint.cures { say("  " + cure, to: .error, hanging: 4) }
    }

    /// The text in a colour where the stream shows colours.
    package func paint(_ text: String, _ colour: Colour, on stream: Stream = .output) -> String {
        isTerminal(stream) && !coloursAreUnwanted && !isDumb ? "\u{1B}[\(colour.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// A line on standard error that the next one replaces, cut at the terminal's width. Nothing unless standard
    /// error is a
    /// terminal that can replace a line.
    package func progress(_ line: String) {
        guard let width = width(of: .error), !isDumb else { return }
        let shown = line.count < width ? line : line.prefix(max(0, width - 2)) + "…"
        write(Array("\r\u{1B}[K\(shown)".utf8), to: .error)
    }

    package func endProgress() {
        progress("")
    }

    /// A terminal that tells no width is taken to have this.
    private static let usualWidth = 80

    /// The columns of the terminal behind standard output; nil where there is none.
    package var columns: Int? { width(of: .output) }

    /// The columns of the terminal behind a stream; nil where there is none.
    package func width(of stream: Stream) -> Int? {
        guard isTerminal(stream) else { return nil }
        var size = winsize()
        guard ioctl(stream.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return Self.usualWidth }
        return Int(size.ws_col)
    }

    /// The columns of help: those that COLUMNS names, of the terminal, or the usual ones.
    package var helpColumns: Int {
        // SAFETY: the string is copied at once; the environment is not changed while this program runs.
        if let value = getenv("COLUMNS"), let columns = Int(String(cString: value)), columns > 0 { return columns }
        return columns ?? Self.usualWidth
    }

    private func isTerminal(_ stream: Stream) -> Bool { stream == .output ? outputIsTerminal : errorIsTerminal }

    /// The terminal's columns and lines; nil where standard output is none, or does not tell.
    package var size: (columns: Int, lines: Int)? {
        var size = winsize()
        guard outputIsTerminal, ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
        else { return nil }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// A text console of Linux's: its TERM.
    package var isLinuxConsole: Bool { Self.term("linux") }

    /// A terminal that obeys no codes: no colours, and no line that is drawn over.
    package var isDumb: Bool { Self.term("dumb") }

    private static func term(_ name: String) -> Bool {
        // SAFETY: the environment is not changed while this program runs.
        guard let value = getenv("TERM") else { return false }
        return strcmp(value, name) == 0
    }

    /// Shows a question on standard error; the answer is somebody else's to read.
    package func ask(_ question: String) {
        prompt(question + " [y/N] ")
    }

    /// Shows what is to be typed on standard error; the answer is somebody else's to read.
    package func prompt(_ text: String) {
        let lines = WordWrap.lines(text, width: width(of: .error))
        write(Array(lines.joined(separator: "\n").utf8), to: .error)
    }

    /// Asks a question on standard error and reads one line; anything but yes, the end of the input too, is no.
    package func confirm(_ question: String) -> Bool {
        // What was typed ahead answers no question that was not read yet (tcflush(3)).
        if inputIsTerminal { tcflush(STDIN_FILENO, TCIFLUSH) }
        ask(question)
        let answer = readLine(strippingNewline: true)
        if answer == nil { say("", to: .error) }
        return ["y", "yes"].contains(answer?.lowercased() ?? "")
    }

    /// Asks for a name on standard error; nil for an empty line, the end of the input, or no terminal to ask at.
    package func askForName(_ question: String) -> String? {
        guard inputIsTerminal else { return nil }
        prompt(question + " ")
        guard let answer = readLine(strippingNewline: true), !answer.isEmpty else { return nil }
        return answer
    }

    private func write(_ bytes: [UInt8], to stream: Stream) {
        // SAFETY: `write(all:)` keeps nothing of the buffer.
        bytes.withUnsafeBytes { buffer in
            Self.write(all: buffer, to: stream.descriptor)
        }
    }

    /// Writes bytes that are not to be copied into a String.
    package func write(_ bytes: RawSpan) {
        // SAFETY: `write(all:)` keeps nothing of the buffer.
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
            // Nobody reads any more: there is nobody to tell.
            guard count > 0 else { return }
            sent += count
        }
    }
}
