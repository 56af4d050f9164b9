import ArgumentParser
import CodeDrawing
import CommandTool
import EventLoop
import SiteControl
import TextOutput

struct PhoneEnrolCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "enrol",
        abstract: "Enrol a person's phone: show a code that the phone takes in at any box of the site.",
        discussion: """
            The person scans or types the code into the phone at any box of the site that is linked. Both sides then show six \
            digits. Confirm them here if the phone in front of you shows the same: it then logs in at every box of these groups. \
            The code works once. It carries a secret: show it to that person alone.

            Examples:
              boxsite phone enrol anna --group 7
              boxsite phone enrol anna --group 7 --label "anna's phone" --minutes 30
            """)

    @Argument(help: "Whose phone it is: the account on the boxes, at most 64 bytes.")
    var user: String
    @Option(help: "A group of boxes where the phone may log in, 1 to 65535; may be given up to 8 times.")
    var group: [UInt16] = []
    @Option(help: "What administrators call the phone, at most 64 bytes. Without it the phone names itself.")
    var label: String?
    @Option(help: "For how many minutes the code is good, 1 to 60.")
    var minutes: UInt64 = 10
    @Flag(help: "The site holds the person's password, behind a PIN that is counted over all boxes.")
    var siteHeld = false
    @Flag(help: "Print the code as text alone.")
    var noQr = false
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        guard (1...SiteControlLimits.enrolmentMinutes).contains(minutes) else {
            throw SiteCommandFailure(.usage, "--minutes takes 1 to \(SiteControlLimits.enrolmentMinutes)")
        }
        let groups = group.isEmpty ? [1] : Array(Set(group)).sorted()
        let name = try PhoneText.user(user)
        let enrolment = EnrolmentDialogue(socket: server.socket, terminal: terminal, withoutDrawing: noQr)
        try enrolment.begin(
            .enrolPhone(user: name, label: label, groups: groups, minutes: minutes, siteHeld: siteHeld),
            minutes: minutes)
        let waiting = try enrolment.wait(after: "open")
        let shown = waiting.state == "claimed" ? try enrolment.wait(after: "claimed") : waiting
        guard shown.state == "shown", let digits = shown.digits else { throw Self.failure(shown.state) }
        let phone = shown.phone.map { $0.isEmpty ? "a phone without a name" : Printable.text($0) } ?? "a phone"
        terminal.say("\(phone) shows these six digits, if it is the right one: \(digits.prefix(3)) \(digits.suffix(3))")
        guard terminal.confirm("Does the phone of \(Printable.text(name)) show the same?") else {
            try enrolment.confirm(digits, accept: false)
            throw SiteCommandFailure(.negative, "no phone was enrolled, and the code is void")
        }
        try enrolment.confirm(digits, accept: true)
        terminal.say(
            "The phone of \(Printable.text(name)) is enrolled. Boxes renew its grant, which is good for 30 days.")
    }

    private static func failure(_ state: String) -> SiteCommandFailure {
        switch state {
        case "lost":
            SiteCommandFailure(
                .negative, "the phone went before there were digits, and the code is used up; begin with a new one")
        case "cancelled", "declined":
            SiteCommandFailure(.negative, "the code was taken back by another command; no phone was enrolled")
        case "done": SiteCommandFailure(.negative, "another command has confirmed the digits already")
        default: SiteCommandFailure(.tryAgain, "no phone came in time, and the code is void; begin with a new one")
        }
    }
}

/// The typed requests behind an enrolment, one after the other. Any server of the site answers each.
struct EnrolmentDialogue {
    let socket: String
    let terminal: Terminal
    let withoutDrawing: Bool
    private let code = Guarded<[UInt8]>([])

    init(socket: String, terminal: Terminal, withoutDrawing: Bool) {
        self.socket = socket
        self.terminal = terminal
        self.withoutDrawing = withoutDrawing
    }

    /// Shows the code.
    func begin(_ request: SiteRequest, minutes: UInt64) throws {
        let (display, code) = (CodeDisplay(terminal: terminal, withoutDrawing: withoutDrawing), code)
        _ = try ServerConversation.ask(request, at: socket) { reply, bytes in
            guard case .enrolmentCode(let id, let text) = reply else { return }
            code.withLock { $0 = id }
            display.show(bytes.extracting(text))
        }
        guard !code.withLock({ $0 }).isEmpty else {
            throw SiteCommandFailure(.protocolMismatch, "the server showed no code; update boxsite or boxsited")
        }
        display.sayValidity(minutes * 60)
        terminal.say("At any box of the site: boxphone site enrol. Waiting for the phone …", to: .error)
    }

    /// What the enrolment waits for, once that is not `state` any more.
    func wait(after state: String) throws -> EnrolmentListing {
        while true {
            let found = Guarded<EnrolmentListing?>(nil)
            _ = try ServerConversation.ask(.enrolment(code: code.withLock { $0 }, after: state), at: socket) {
                reply, _ in
                if case .enrolment(let listing) = reply { found.withLock { $0 = listing } }
            }
            guard let listing = found.withLock({ $0 }) else {
                throw SiteCommandFailure(.protocolMismatch, "the server did not say how far it is; update boxsite")
            }
            if listing.state != state { return listing }
        }
    }

    func confirm(_ digits: String, accept: Bool) throws {
        _ = try ServerConversation.ask(
            .confirmEnrolment(code: code.withLock { $0 }, digits: digits, accept: accept), at: socket)
    }
}
