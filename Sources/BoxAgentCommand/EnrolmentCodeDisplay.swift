import CommandTool
import Secrets
import TextOutput

/// How an enrolment's code is shown: drawn, where this is a terminal with room for it, and as text. The code is never a String.
struct EnrolmentCodeDisplay {
    /// Behind the code stand what says how long it holds and what is waited for, each in a line, and the line that is
    /// typed in.
    private static let linesBelowCode = 3

    let terminal: Terminal
    /// The text alone.
    let withoutDrawing: Bool

    func show(_ uri: RawSpan) {
        draw(uri, orElse: "give the phone the line below")
        terminal.write(uri)
        terminal.say("")
    }

    /// The address of the page, which is no secret, and then, once the phone has it, the code: two codes on one screen are
    /// mistaken for each other. Where nobody reads along, nobody is waited for.
    ///
    /// - Parameter descriptor: The agent's connection: what it says ends the wait.
    /// - Returns: Whether the code may be shown. False: the agent has something to say, and the code may be void.
    func showPage(_ address: String?, until descriptor: Int32) -> Bool {
        guard let address else {
            terminal.say(
                "open the web phone's page on the phone; this box does not say where it is (enrolment.web_page)",
                to: .error)
            return true
        }
        terminal.say("the web phone's page: \(address)", to: .error)
        guard terminal.outputIsTerminal, terminal.inputIsTerminal else { return true }
        draw(Array(address.utf8).span.bytes, orElse: "type the address above")
        terminal.say(
            "Open it on the phone, choose \"Add a box\" there, and press Enter here for the code.", to: .error)
        var question = DigitsQuestion()
        if case .interrupted = question.wait(or: descriptor) { return false }
        return true
    }

    /// One code for both: the secret stands in the address's fragment, which no browser sends to the page's host (RFC 9110
    /// section 4.2.5), and which camera apps and histories may keep.
    func showLink(_ uri: RawSpan, to address: String) {
        let head = Array((address + "#").utf8)
        var link = SecretBytes(count: head.count + uri.byteCount)
        link.withMutableBytes { bytes in
            bytes.store(head.span.bytes)
            bytes.store(uri, at: head.count)
        }
        link.withBytes { show($0) }
        terminal.say(
            "this address holds the secret: the phone's camera app and the browser's history may keep it. Compare the digits.",
            to: .error)
    }

    func sayValidity(_ seconds: UInt64) {
        terminal.say("the code works once, for \(Timestamp.span(seconds))", to: .error)
    }

    /// - Parameter way: What helps where there is no room.
    private func draw(_ text: RawSpan, orElse way: String) {
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
