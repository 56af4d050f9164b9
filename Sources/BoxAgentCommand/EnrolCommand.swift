import ControlProtocol
import ArgumentParser
import CommandTool
import Glibc
import Names
import TextOutput

struct EnrolCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrol", abstract: "Enrol a phone for a user: show a code for the phone.",
        discussion: """
            The command shows the code as a QR code and as a boxlink: URI, and waits for the phone. Then box and phone \
            show six digits. The command asks you to compare them, and enrols the phone if you say that they are the \
            same. If the phone disconnects before your answer, the code is cancelled and the command exits with 1: run \
            it again. The last line is the id of the device.
            The code is a secret. It is valid once, for enrolment.code_minutes; anyone who sees it in that time can \
            use it. If standard output is not a terminal, the command prints only the URI and the id there.
            Examples:
              boxagent enrol anna --label "Anna's phone"
              boxagent enrol anna --box-held    the box keeps the password
              boxagent enrol anna --no-qr       for a small window
              boxagent enrol anna --web         the phone is a page in a browser
              boxagent enrol --self             your own phone, if the box's site allows it
              boxagent enrol --self --replace 7k3m
            """, aliases: ["enroll"])

    @Argument(help: "The user whom the phone logs in.")
    var user: String?
    @Flag(
        name: .customLong("self"),
        help: """
            Enrol your own phone. You must have logged in at this box with your password in the last five minutes. The \
            site gives the code. The phone can then log you in at every box of this box's groups.
            """)
    var forSelf = false
    @Option(
        help: ArgumentHelp(
            "With --self: revoke the phone with this id, or start of an id, at every box after the new phone is "
                + "enrolled.",
            valueName: "id"))
    var replace: String = ""
    @Option(help: ArgumentHelp("The name of the phone in lists, at most 64 bytes.", valueName: "text"))
    var label: String = ""
    @Flag(
        help: """
            The box keeps the password, sealed with a key that needs the phone, the PIN and the box together. The \
            default is that the phone keeps the password.
            """)
    var boxHeld = false
    @Flag(
        name: .customLong("no-qr"),
        help: """
            Show only the URI. The QR code needs a window of about 53 columns and 30 lines. In a smaller window the \
            command says so and shows the URI.
            """)
    var withoutDrawing = false
    @Flag(
        help: """
            The phone is a page in a browser, and the box keeps the password. The absence of such a phone does not \
            lock or end a session. On a terminal the command first shows the address of the page (enrolment.web_page) \
            as a QR code, then, after Enter, the enrolment code.
            """)
    var web = false
    @Flag(
        help: """
            With --web: one code opens the page and enrols the phone. The phone's camera app and the browser's history \
            may keep this code, so --yes is not allowed with it.
            """)
    var link = false
    @Flag(help: "With --web: enrol the phone although presence.require_phone is on and a page cannot obey it.")
    var force = false
    @Flag(name: [.short, .long], help: "Do not ask to compare the six digits.")
    var yes = false
    @OptionGroup var agent: AgentOptions

    func validate() throws {
        guard !forSelf else { return try validateSelf() }
        guard let user else { throw ValidationError("name the user, or use --self to enrol your own phone") }
        guard replace.isEmpty else { throw ValidationError("--replace needs --self") }
        guard (1...UserName.byteLimit).contains(user.utf8.count) else {
            throw ValidationError("a user name must have 1 to \(UserName.byteLimit) bytes")
        }
        guard label.utf8.count <= ControlLimits.labelBytes else {
            throw ValidationError("--label takes at most \(ControlLimits.labelBytes) bytes")
        }
        guard web || (!link && !force) else { throw ValidationError("--link and --force need --web") }
        guard !link || !yes else {
            throw ValidationError(
                "use either --link or --yes: others may have read the code of --link, so the digits must be compared")
        }
    }

    /// Checks the options of --self. The site decides everything else, and the user must compare the digits.
    private func validateSelf() throws {
        guard user == nil else { throw ValidationError("--self enrols your own phone; leave out the user") }
        guard label.isEmpty, !boxHeld, !web, !link, !force, !yes else {
            throw ValidationError("with --self, only --replace and --no-qr are allowed")
        }
        guard replace.utf8.count <= 26 else {
            throw ValidationError("the id of a phone has at most 26 letters and digits")
        }
    }

    private var request: ControlRequest {
        guard !forSelf, let user else { return .enrolSelf(replacing: Array(replace.utf8)) }
        return .enrol(
            EnrolmentWish(
                user: Array(user.utf8), label: label, credential: boxHeld || web ? .boxHeld : .phoneHeld,
                isConfirmed: yes, isWeb: web, isForced: force))
    }

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        // The code is a secret while it is valid, so this process must not leave a core dump.
        var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
        var conversation = try Conversation(socket: agent.socket)
        try conversation.send(request)
        var page: String?
        var wait = EnrolmentWait(answerLimit: Conversation.answerLimit)
        var progressIsShown = false
        defer { if progressIsShown { terminal.endProgress() } }
        while true {
            let descriptor = conversation.descriptor
            let step = try conversation.receive(within: .seconds(1)) { reply, bytes in
                if progressIsShown { terminal.endProgress() }
                progressIsShown = false
                return show(reply, bytes, page, descriptor, terminal)
            }
            switch step {
            case .page(let address): page = address
            case .unshown:
                throw CommandFailure(
                    .invalid, "the address of the web phone's page is not set; no code was shown",
                    cure: "set it with: boxagent config set enrolment.web_page https://phone.example.org/")
            case .none:
                guard wait.tick() else { throw CommandFailure(.timedOut) }
                if let line = wait.line {
                    terminal.progress(line)
                    progressIsShown = true
                }
            case .code(let seconds): wait.codeShown(validSeconds: seconds)
            case .contact: wait.contact()
            case .digits(let digits, let label):
                try answer(digits, label, terminal, &conversation)
                wait.answered()
            case .end: return
            case .other: break
            }
        }
    }

    private enum Step {
        case page(String)
        case code(UInt64)
        /// The address that the code should open is not configured.
        case unshown
        case contact
        case digits(String, label: [UInt8])
        case end
        case other
    }

    private func show(
        _ reply: ControlReply, _ bytes: RawSpan, _ page: String?, _ descriptor: Int32, _ terminal: Terminal
    ) -> Step {
        switch reply {
        case .webPage(let address): return .page(Printable.text(address))
        case .enrolmentCode(let range, let seconds):
            let display = EnrolmentCodeDisplay(terminal: terminal, withoutDrawing: withoutDrawing)
            let made = ContinuousClock.now
            if link {
                guard let page else { return .unshown }
                display.showLink(bytes.extracting(range), to: page)
            } else {
                if web, !display.showPage(page, until: descriptor) { return .other }
                display.show(bytes.extracting(range))
            }
            // The code's validity runs while the person opens the page.
            let waited = UInt64(max(0, (ContinuousClock.now - made).components.seconds))
            let left = seconds > waited ? seconds - waited : 0
            display.sayValidity(left)
            if forSelf { terminal.say("On the phone, near this box, run: boxphone site enrol", to: .error) }
            return .code(left)
        case .notice(let text):
            terminal.say(Printable.text(text), to: .error)
            return .other
        case .enrolmentContact:
            terminal.say("a phone has connected", to: .error)
            return .contact
        case .enrolmentDigits(let digits, let label):
            // With --yes there is no question, but the digits are shown.
            if yes { terminal.say(Self.comparison(of: digits, terminal), to: .error) }
            return .digits(digits, label: label)
        case .enrolmentLost:
            terminal.say("the phone has disconnected", to: .error)
            return .other
        case .enrolled(let device, let user):
            let id = Printable.text(device)
            terminal.say(
                terminal.outputIsTerminal ? "Enrolled. Device \(id) can log \(Printable.text(user)) in." : id)
            return .other
        case .done(let text):
            if !text.isEmpty { terminal.say(Printable.text(text), to: .error) }
            return .end
        default: return .other
        }
    }

    /// Asks while the phone is connected. The answer contains the shown digits, so it cannot apply to another phone.
    private func answer(
        _ digits: String, _ label: [UInt8], _ terminal: Terminal, _ conversation: inout Conversation
    ) throws(CommandFailure) {
        if yes { return }
        var question = DigitsQuestion()
        terminal.ask(Self.comparison(of: digits, terminal) + " " + Self.question(label: label))
        switch question.wait(or: conversation.descriptor) {
        case .interrupted:
            // Any reply ends the question; the command's loop reads it.
            terminal.say("", to: .error)
        case .answered(let same):
            try conversation.send(.confirmEnrolment(digits: digits, accept: same))
            // The agent's own refusal follows; this sentence is for the person.
            if !same { terminal.say("the phone was not enrolled", to: .error) }
        }
    }

    /// Returns the digits to compare. The text states nothing about the phone, which this program cannot see.
    private static func comparison(of digits: String, _ terminal: Terminal) -> String {
        let shown = terminal.paint(SixDigits.spaced(Printable.text(digits)), .bold, on: .error)
        return "Compare with the phone: \(shown)."
    }

    /// Returns the question for the person, who can see the phone.
    static func question(label: [UInt8]) -> String {
        let name = label.isEmpty ? "the phone" : "\"\(Printable.text(label))\""
        return "Does \(name) show exactly these digits?"
    }
}
