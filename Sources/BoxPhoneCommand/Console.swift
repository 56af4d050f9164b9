import CommandTool
import Glibc

/// Standard output and standard error.
///
/// Only results go to standard output, so that `boxphone status --json | …` stays clean.
struct Console: Sendable {
    enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case dim = "2"
    }

    /// True if progress is drawn, which only a terminal shows.
    let showsProgress: Bool
    private let terminal = CommandTool.Terminal()
    private let coloursOutput: Bool
    private let coloursErrors: Bool

    init() {
        // https://no-color.org: set and not empty means no colour.
        let refused = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        let dumb = getenv("TERM").map { strcmp($0, "dumb") == 0 } ?? true
        coloursOutput = isatty(STDOUT_FILENO) == 1 && !refused && !dumb
        coloursErrors = isatty(STDERR_FILENO) == 1 && !refused && !dumb
        showsProgress = isatty(STDERR_FILENO) == 1 && !dumb
    }

    /// Prints a sentence of the result, wrapped at words on a terminal.
    func say(_ line: String, _ colour: Colour? = nil) {
        Self.write(paint(wrapped(line, .output), colour, when: coloursOutput) + "\n", to: STDOUT_FILENO)
    }

    /// Prints a line for programs or for copying, without wrapping.
    func sayWhole(_ line: String) {
        Self.write(line + "\n", to: STDOUT_FILENO)
    }

    /// Prints one line on standard error.
    func note(_ line: String, _ colour: Colour? = nil) {
        Self.write(paint(wrapped(line, .error), colour, when: coloursErrors) + "\n", to: STDERR_FILENO)
    }

    /// Prints why boxphone stops, and the cures on the next lines.
    func complain(_ complaint: Complaint, _ colour: Colour) {
        let problem = ProblemText(sentence: complaint.sentence)
        note("boxphone: " + problem.what, colour)
        for cure in problem.cures { note("  " + cure) }
    }

    /// The columns of the terminal on standard error, or nil if it is not a terminal.
    var errorColumns: Int? { terminal.width(of: .error) }

    private func wrapped(_ line: String, _ stream: CommandTool.Terminal.Stream) -> String {
        let indent = line.prefix { $0 == " " }.count
        return WordWrap.lines(line, width: terminal.width(of: stream), hanging: indent).joined(separator: "\n")
    }

    /// Writes text without a line end to standard error, for the progress line, which is redrawn.
    func draw(_ text: String) {
        Self.write(text, to: STDERR_FILENO)
    }

    private func paint(_ line: String, _ colour: Colour?, when coloured: Bool) -> String {
        guard coloured, let colour else { return line }
        return "\u{1B}[\(colour.rawValue)m\(line)\u{1B}[0m"
    }

    /// Writes all of the text. A reader that has closed the pipe is not treated as an error.
    private static func write(_ text: String, to descriptor: Int32) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            // SAFETY: the pointer and the count describe the rest of `bytes`.
            let count = bytes.withUnsafeBytes { buffer in
                Glibc.write(descriptor, buffer.baseAddress.map { $0 + written }, buffer.count - written)
            }
            if count < 0 {
                if errno == EINTR { continue }
                return
            }
            written += count
        }
    }
}
