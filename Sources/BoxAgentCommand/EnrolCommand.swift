import ControlProtocol
import ArgumentParser
import CommandTool
import Glibc
import Names
import TextOutput

struct EnrolCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrol", abstract: "Show a code with which a phone is enrolled for a user.",
        discussion: """
            The code is shown as a QR code and as a boxlink: URI, and the command waits for the phone. Then both \
            show six digits; it asks whether they are the same, and the phone is enrolled when the answer is yes. \
            When the phone goes away before that, the question ends, the code is void, and the command exits with 1: \
            run it again. The device's id comes last.

            The code is a secret: it lives as long as enrolment.code_minutes says and works once, and whoever sees \
            it in time can use it. Where standard output is no terminal, the URI and the id are all that is printed \
            there.

            Examples:
              boxagent enrol anna --label "Anna's phone"
              boxagent enrol anna --box-held    the phone keeps no password
              boxagent enrol anna --no-qr       where the window is too small
              boxagent enrol anna --web         the phone is a page in a browser
              boxagent enrol --self             a phone of your own, at a box whose site allows it
              boxagent enrol --self --replace 7k3m
            """)

    @Argument(help: "Whom the phone will log in.")
    var user: String?
    @Flag(
        name: .customLong("self"),
        help: """
            A phone for whoever runs this, who has logged in at this box with the password, at most five minutes ago. The site \
            gives the code, and the phone logs in at every box of this box's groups.
            """)
    var forSelf = false
    @Option(
        help: ArgumentHelp(
            "With --self: the phone whose id begins so is revoked at every box once the new one is enrolled.",
            valueName: "id"))
    var replace: String = ""
    @Option(help: ArgumentHelp("What listings call the phone, at most 64 bytes.", valueName: "text"))
    var label: String = ""
    @Flag(
        help: """
            The box keeps the password, sealed under a key that takes the phone, the PIN and the box together. Without it \
            the phone keeps the password.
            """)
    var boxHeld = false
    @Flag(
        name: .customLong("no-qr"),
        help: """
            Show the URI alone. A QR code needs a window of about 61 columns and 37 lines; where it is smaller, the command \
            says so and shows the URI.
            """)
    var withoutDrawing = false
    @Flag(
        help: """
            The phone is a page in a browser, and the box keeps the password. Such a phone's absence locks and ends no \
            session. On a terminal a first code opens the page, where enrolment.web_page says where it is, and the code of \
            the enrolment follows after Enter.
            """)
    var web = false
    @Flag(
        help: """
            With --web: one code does both. The phone's camera app and the browser's history may keep it, so it \
            excludes --yes.
            """)
    var link = false
    @Flag(help: "With --web: also where presence.require_phone wants sessions locked when their phone goes.")
    var force = false
    @Flag(name: [.short, .long], help: "Do not ask whether the six digits are the same.")
    var yes = false
    @OptionGroup var agent: AgentOptions

    func validate() throws {
        guard !forSelf else { return try validateSelf() }
        guard let user else { throw ValidationError("name the user, or write --self for a phone of your own") }
        guard replace.isEmpty else { throw ValidationError("--replace goes with --self only") }
        guard (1...UserName.byteLimit).contains(user.utf8.count) else {
            throw ValidationError("a user name has 1 to \(UserName.byteLimit) bytes")
        }
        guard label.utf8.count <= ControlLimits.labelBytes else {
            throw ValidationError("--label takes at most \(ControlLimits.labelBytes) bytes")
        }
        guard web || (!link && !force) else { throw ValidationError("--link and --force go with --web only") }
        guard !link || !yes else {
            throw ValidationError(
                "--link excludes --yes: others may have read its code, and the digits tell them apart")
        }
    }

    /// What the site decides, nobody says here; and nobody but the person compares the digits.
    private func validateSelf() throws {
        guard user == nil else { throw ValidationError("--self is for whoever runs it, and takes no user") }
        guard label.isEmpty, !boxHeld, !web, !link, !force, !yes else {
            throw ValidationError("with --self there is --replace and --no-qr only")
        }
        guard replace.utf8.count <= 26 else {
            throw ValidationError("an id of a phone has at most 26 letters and digits")
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
        // The code is a secret while it can be used: this process leaves no core.
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
                    .invalid, "this box does not say where the page is; no code was shown",
                    cure: "set it: boxagent config set enrolment.web_page https://phone.example.org/")
            case .none:
                guard wait.tick() else { throw CommandFailure(.timedOut) }
                if let line = wait.line {
                    terminal.progress(line)
                    progressIsShown = true
                }
            case .code(let seconds): wait.codeShown(validSeconds: seconds)
            case .contact: wait.contact()
            case .digits(let digits):
                try answer(digits, terminal, &conversation)
                wait.answered()
            case .end: return
            case .other: break
            }
        }
    }

    private enum Step {
        case page(String)
        case code(UInt64)
        /// Nobody knows the address that the code should open.
        case unshown
        case contact
        case digits(String)
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
            // Its time runs while the person opens the page.
            let waited = UInt64(max(0, (ContinuousClock.now - made).components.seconds))
            let left = seconds > waited ? seconds - waited : 0
            display.sayValidity(left)
            if forSelf { terminal.say("On the phone, at this box: boxphone site enrol.", to: .error) }
            return .code(left)
        case .enrolmentContact:
            terminal.say("a phone has connected", to: .error)
            return .contact
        case .enrolmentDigits(let digits, let label):
            let name = label.isEmpty ? "The phone" : "The phone \"\(Printable.text(label))\""
            let shown = terminal.paint(SixDigits.spaced(Printable.text(digits)), .bold, on: .error)
            terminal.say("\(name) shows six digits. Here they are: \(shown)", to: .error)
            return .digits(digits)
        case .enrolmentLost:
            terminal.say("the phone has gone", to: .error)
            return .other
        case .enrolled(let device, let user):
            let id = Printable.text(device)
            terminal.say(
                terminal.outputIsTerminal ? "enrolled: device \(id) logs \(Printable.text(user)) in" : id)
            return .other
        case .done(let text):
            if !text.isEmpty { terminal.say(Printable.text(text), to: .error) }
            return .end
        default: return .other
        }
    }

    /// Asks, as long as the phone is there. The answer names the digits that were shown: it is about no other phone.
    private func answer(
        _ digits: String, _ terminal: Terminal, _ conversation: inout Conversation
    ) throws(CommandFailure) {
        if yes { return }
        var question = DigitsQuestion()
        terminal.ask("Are they the same?")
        switch question.wait(or: conversation.descriptor) {
        case .interrupted:
            // The reply ends the question, whatever it is; the command's loop reads it.
            terminal.say("", to: .error)
        case .answered(let same):
            try conversation.send(.confirmEnrolment(digits: digits, accept: same))
            // The agent's own refusal follows; this sentence is for the person.
            if !same { terminal.say("the phone is not enrolled", to: .error) }
        }
    }
}
