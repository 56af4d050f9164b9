import ControlProtocol
import ArgumentParser
import Glibc
import Names
import TextOutput

struct EnrolCommand: AgentCommand {
    static let configuration = CommandConfiguration(
        commandName: "enrol", abstract: "Show a code with which a phone is enrolled for a user.",
        discussion: """
            Prints a QR code and the same as a boxlink: URI, waits for the phone, and asks whether both show the same six \
            digits. Ends with the device's id. The code works once, and anybody who sees it in time can use it. Where \
            standard output is no terminal, the URI and the id are all that is printed there.
            Examples:
              boxagent enrol anna --label "Anna's phone"
              boxagent enrol anna --box-held   the phone keeps no password, only a key to it
              boxagent enrol anna --link       no QR code, where the window is too small for one
            """)

    @Argument(help: "Whom the phone will log in.")
    var user: String
    @Option(help: ArgumentHelp("What to call the phone in listings, at most 64 bytes.", valueName: "text"))
    var label: String = ""
    @Flag(help: "The box keeps the password, sealed with the phone's key and a PIN.")
    var boxHeld = false
    @Flag(help: "Show the boxlink: URI alone, without the QR code.")
    var link = false
    @Flag(name: [.short, .long], help: "Do not ask whether the six digits are the same.")
    var yes = false
    @OptionGroup var agent: AgentOptions

    func validate() throws {
        guard (1...UserName.byteLimit).contains(user.utf8.count) else {
            throw ValidationError("a user name has 1 to \(UserName.byteLimit) bytes")
        }
        guard label.utf8.count <= ControlLimits.labelBytes else {
            throw ValidationError("--label takes at most \(ControlLimits.labelBytes) bytes")
        }
    }

    func perform(_ terminal: Terminal) throws(CommandFailure) {
        // The code is a secret while it can be used: this process leaves no core.
        var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
        setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
        var conversation = try Conversation(socket: agent.socket)
        try conversation.send(
            .enrol(
                user: Array(user.utf8), label: label, credential: boxHeld ? .boxHeld : .phoneHeld,
                confirmed: yes))
        var wait = EnrolmentWait(answerLimit: Conversation.answerLimit)
        var progressIsShown = false
        defer { if progressIsShown { terminal.endProgress() } }
        while true {
            let step = try conversation.receive(within: .seconds(1)) { reply, bytes in
                if progressIsShown { terminal.endProgress() }
                progressIsShown = false
                return show(reply, bytes, terminal)
            }
            switch step {
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
        case code(UInt64)
        case contact
        case digits(String)
        case end
        case other
    }

    private func show(_ reply: ControlReply, _ bytes: RawSpan, _ terminal: Terminal) -> Step {
        switch reply {
        case .enrolmentCode(let range, let seconds):
            terminal.showCode(bytes.extracting(range), validSeconds: seconds, linkOnly: link)
            return .code(seconds)
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

/// What is waited for, counted in seconds.
struct EnrolmentWait {
    private var left: Int64
    private let answerSeconds: Int64
    private var what: String?

    init(answerLimit: Duration) {
        answerSeconds = answerLimit.components.seconds
        left = answerSeconds
    }

    /// The line to show; nil before there is a code.
    var line: String? {
        what.map { "\($0) (\(Timestamp.span(UInt64(max(0, left - answerSeconds)))) left)" }
    }

    /// A second without a reply. False when it was the last one.
    mutating func tick() -> Bool {
        left -= 1
        return left > 0
    }

    mutating func codeShown(validSeconds: UInt64) {
        // The agent ends the enrolment itself and says so; the time on top is for a silent one.
        left = Int64(clamping: min(validSeconds, 86_400)) + answerSeconds
        what = "waiting for the phone"
    }

    mutating func contact() {
        what = "a phone has connected; waiting for it to finish"
    }

    mutating func answered() {
        what = "waiting for the agent"
    }
}

extension Terminal {
    /// Behind the code stand what says how long it holds and what is waited for, each in a line, and the line that is
    /// typed in.
    private static let linesBelowCode = 3

    /// The QR code, where this is a terminal with room for it, and the URI; neither is ever a String.
    func showCode(_ uri: RawSpan, validSeconds: UInt64, linkOnly: Bool) {
        if outputIsTerminal, !linkOnly { draw(uri) }
        write(uri)
        say("")
        say("the code works once, for \(Timestamp.span(validSeconds))", to: .error)
    }

    private func draw(_ uri: RawSpan) {
        let window = size ?? (80, 24)
        // All of the code is to be on the screen at once, with the URI below it.
        let below = (uri.byteCount + window.columns - 1) / window.columns + Self.linesBelowCode
        let room = QRCode.Size(columns: window.columns, lines: window.lines - below)
        let style: QRCode.Style = coloursAreUnwanted ? .plain : isLinuxConsole ? .console : .coloured
        let drawn: Void? = QRCode.withDrawing(of: uri, into: room, style: style) { write($0) }
        guard drawn == nil, let needed = QRCode.size(of: uri) else { return }
        let larger =
            isLinuxConsole
            ? "choose a smaller font (setfont(8)), or run this over ssh" : "enlarge it and run this again"
        say(
            "the QR code needs a window of \(needed.columns) columns and \(needed.lines + below) lines, and this one has "
                + "\(window.columns) and \(window.lines): \(larger), or give the phone the line below", to: .error)
    }
}
