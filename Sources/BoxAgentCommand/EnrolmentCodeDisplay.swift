import CodeDrawing
import CommandTool
import Secrets

/// How an enrolment's code is shown, and the page of a web phone before it.
struct EnrolmentCodeDisplay {
    private let display: CodeDisplay
    private var terminal: Terminal { display.terminal }

    init(terminal: Terminal, withoutDrawing: Bool) {
        display = CodeDisplay(terminal: terminal, withoutDrawing: withoutDrawing)
    }

    func show(_ uri: RawSpan) { display.show(uri) }

    /// The address of the page, which is no secret, and then, once the phone has it, the code: two codes on one screen are
    /// mistaken for each other. Where nobody reads along, nobody is waited for.
    ///
    /// - Parameter descriptor: The agent's connection: what it says ends the wait.
    /// - Returns: Whether the code may be shown. False: the agent has something to say, and the code may be void.
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
            "This address contains the secret. The phone's camera app and the browser's history may keep it. "
                + "Compare the digits.",
            to: .error)
    }

    func sayValidity(_ seconds: UInt64) { display.sayValidity(seconds) }
}
