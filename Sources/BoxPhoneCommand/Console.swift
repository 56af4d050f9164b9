import CommandTool
import Glibc

/// Standard output and standard error, as a person or a program reads them.
///
/// What was asked for goes to standard output; everything said on the way there goes to standard error, so that
/// `boxphone status --json | …` stays clean.
struct Console: Sendable {
    enum Colour: String {
        case red = "31"
        case green = "32"
        case yellow = "33"
        case dim = "2"
    }

    /// Progress is drawn for people only.
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

    /// A sentence of what was asked for, broken at words on a terminal.
    func say(_ line: String, _ colour: Colour? = nil) {
        Self.write(paint(wrapped(line, .output), colour, when: coloursOutput) + "\n", to: STDOUT_FILENO)
    }

    /// What programs read or a person copies, in one line whatever the terminal's width.
    func sayWhole(_ line: String) {
        Self.write(line + "\n", to: STDOUT_FILENO)
    }

    /// One line said on the way, on standard error.
    func note(_ line: String, _ colour: Colour? = nil) {
        Self.write(paint(wrapped(line, .error), colour, when: coloursErrors) + "\n", to: STDERR_FILENO)
    }

    /// Why boxphone stops, and below it what to do.
    func complain(_ complaint: Complaint, _ colour: Colour) {
        let problem = ProblemText(sentence: complaint.sentence)
        note("boxphone: " + problem.what, colour)
        for cure in problem.cures { note("  " + cure) }
    }

    /// The columns of the terminal behind standard error; nil where there is none.
    var errorColumns: Int? { terminal.width(of: .error) }

    private func wrapped(_ line: String, _ stream: CommandTool.Terminal.Stream) -> String {
        let indent = line.prefix { $0 == " " }.count
        return WordWrap.lines(line, width: terminal.width(of: stream), hanging: indent).joined(separator: "\n")
    }

    /// Text without an end of line, on standard error: for the progress line, which is drawn over.
    func draw(_ text: String) {
        Self.write(text, to: STDERR_FILENO)
    }

    private func paint(_ line: String, _ colour: Colour?, when coloured: Bool) -> String {
        guard coloured, let colour else { return line }
        return "\u{1B}[\(colour.rawValue)m\(line)\u{1B}[0m"
    }

    /// Writes all of it; a reader that has gone away is not an error of ours.
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
