import CommandTool

/// How a code is shown: drawn, where this is a terminal with room for it, and as text. The code is never a String.
package struct CodeDisplay: Sendable {
    /// Behind the code stand what says how long it holds and what is waited for, each in a line, and the line that is
    /// typed in.
    private static let linesBelowCode = 3

    package let terminal: Terminal
    /// The text alone.
    package let withoutDrawing: Bool

    package init(terminal: Terminal, withoutDrawing: Bool) {
        self.terminal = terminal
        self.withoutDrawing = withoutDrawing
    }

    package func show(_ code: RawSpan) {
        draw(code, orElse: "give the phone the line below")
        terminal.write(code)
        terminal.say("")
    }

    package func sayValidity(_ seconds: UInt64) {
        terminal.say("the code works once, for \(Timestamp.span(seconds))", to: .error)
    }

    /// - Parameter way: What helps where there is no room.
    package func draw(_ text: RawSpan, orElse way: String) {
        guard terminal.outputIsTerminal, !withoutDrawing else { return }
        let window = terminal.size ?? (80, 24)
        // All of the code is to be on the screen at once, with its text below it.
        let below = (text.byteCount + window.columns - 1) / window.columns + Self.linesBelowCode
        let room = QRCode.Size(columns: window.columns, lines: window.lines - below)
        let style: QRCode.Style =
            terminal.coloursAreUnwanted ? .plain : terminal.isLinuxConsole ? .console : .coloured
        let drawn: Void? = QRCode.withDrawing(of: text, into: room, style: style) { terminal.write($0) }
        guard drawn == nil, let needed = QRCode.size(of: text) else { return }
        let larger =
            terminal.isLinuxConsole
            ? "choose a smaller font (setfont(8)), or run this over ssh" : "enlarge it and run this again"
        terminal.say(
            "the QR code needs a window of \(needed.columns) columns and \(needed.lines + below) lines, and this one has "
                + "\(window.columns) and \(window.lines): \(larger), or \(way)", to: .error)
    }
}
