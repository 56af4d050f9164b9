import CodeDrawing
import CommandTool
import Secrets

/// Shows an enrolment code, and before it the page of a web phone.
struct EnrolmentCodeDisplay {
    private let display: CodeDisplay
    private var terminal: Terminal { display.terminal }

    init(terminal: Terminal, withoutDrawing: Bool) {
        display = CodeDisplay(terminal: terminal, withoutDrawing: withoutDrawing)
    }

    func show(_ uri: RawSpan) { display.show(uri) }

    /// Shows the page's address, which is not secret, and waits until the phone has opened it. Two codes on one screen
    /// would be mistaken for each other. Does not wait unless input and output are terminals.
    ///
    /// - Parameter descriptor: The agent's connection; a message from the agent ends the wait.
    /// - Returns: Whether the code may be shown: false if the agent has sent a message, as the code may be cancelled.
    func showPage(_ address: String?, until descriptor: Int32) -> Bool {
        guard let address else {
            terminal.say(
                "Open the web phone's page on the phone. Its address is not set at this box (enrolment.web_page).",
                to: .error)
            return true
        }
        terminal.say("The web phone's page: \(address)", to: .error)
        guard terminal.outputIsTerminal, terminal.inputIsTerminal else { return true }
        display.draw(Array(address.utf8).span.bytes, orElse: "type the address above")
        terminal.say(
            "Open it on the phone, choose \"Add a box\" there, and press Enter here for the code.", to: .error)
        var question = DigitsQuestion()
        if case .interrupted = question.wait(or: descriptor) { return false }
        return true
    }

    /// Shows one code for page and enrolment. The secret is in the address's fragment, which browsers do not send to
    /// the page's host (RFC 9110 section 4.2.5). Camera apps and browser histories may store it.
    func showLink(_ uri: RawSpan, to address: String) {
        let head = Array((address + "#").utf8)
        var link = SecretBytes(count: head.count + uri.byteCount)
        link.withMutableBytes { bytes in
            bytes.store(head.span.bytes)
            bytes.store(uri, at: head.count)
        }
        link.withBytes { show($0) }
        terminal.say(
            "This address contains the secret. The phone's camera app and the browser's history may keep it. "
                + "Compare the digits.",
            to: .error)
    }

    func sayValidity(_ seconds: UInt64) { display.sayValidity(seconds) }
}
