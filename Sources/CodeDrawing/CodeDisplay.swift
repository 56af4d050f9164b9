import CommandTool

/// Shows a code as text, and as a drawing if there is a terminal with enough room. The code never becomes a String.
package struct CodeDisplay: Sendable {
    /// The lines below the code for its validity, the next step on the phone, and the progress.
    private static let linesBelowCode = 3

    package let terminal: Terminal
    /// True to show the text only.
    package let withoutDrawing: Bool

    package init(terminal: Terminal, withoutDrawing: Bool) {
        self.terminal = terminal
        self.withoutDrawing = withoutDrawing
    }

    /// Shows the text above the drawing, so that a window that just fits the drawing shows all of it.
    package func show(_ code: RawSpan) {
        terminal.write(code)
        terminal.say("")
        draw(code, orElse: "copy the line above to the phone")
    }

    package func sayValidity(_ seconds: UInt64) {
        terminal.say("the code works once, within \(Timestamp.span(seconds))", to: .error)
    }

    /// - Parameter way: The alternative for a window that is too small.
    package func draw(_ text: RawSpan, orElse way: String) {
        guard terminal.outputIsTerminal, !withoutDrawing else { return }
        let window = terminal.size ?? (80, 24)
        // The whole code and the lines below it must be on the screen at once.
        let room = QRCode.Size(columns: window.columns, lines: window.lines - Self.linesBelowCode)
        let style: QRCode.Style =
            terminal.coloursAreUnwanted ? .plain : terminal.isLinuxConsole ? .console : .coloured
        let drawn: Void? = QRCode.withDrawing(of: text, into: room, style: style) { terminal.write($0) }
        guard drawn == nil, let needed = QRCode.size(of: text) else { return }
        let lines = needed.lines + Self.linesBelowCode
        let larger = [
            needed.columns > window.columns ? "\(needed.columns) columns wide" : nil,
            lines > window.lines ? "\(lines) lines high" : nil,
        ].compactMap { $0 }.joined(separator: " and ")
        let cure =
            terminal.isLinuxConsole
            ? "choose a smaller font (setfont(8)) or run this command over ssh"
            : "make the window at least \(larger), then run this command again"
        terminal.complain(
            ProblemText(
                "The QR code needs a window of \(needed.columns) columns and \(lines) lines; this one has "
                    + "\(window.columns) and \(window.lines).", cures: ["To scan a code, \(cure).", "Or \(way)."]))
    }
}
