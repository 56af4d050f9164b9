import CommandTool

/// How a code is shown: drawn, where this is a terminal with room for it, and as text. The code is never a String.
package struct CodeDisplay: Sendable {
    /// Below the code stand how long it holds, what to do on the phone, and what is waited for.
    private static let linesBelowCode = 3

    package let terminal: Terminal
    /// The text alone.
    package let withoutDrawing: Bool

    package init(terminal: Terminal, withoutDrawing: Bool) {
        self.terminal = terminal
        self.withoutDrawing = withoutDrawing
    }

    /// The text stands above the drawing: a window that has just room for the drawing shows all of it.
    package func show(_ code: RawSpan) {
        terminal.write(code)
        terminal.say("")
        draw(code, orElse: "copy the line above to the phone")
    }

    package func sayValidity(_ seconds: UInt64) {
        terminal.say("the code works once, within \(Timestamp.span(seconds))", to: .error)
    }

    /// - Parameter way: What helps where there is no room.
    package func draw(_ text: RawSpan, orElse way: String) {
        guard terminal.outputIsTerminal, !withoutDrawing else { return }
        let window = terminal.size ?? (80, 24)
        // All of the code has to be on the screen at once, with what is said below it.
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
