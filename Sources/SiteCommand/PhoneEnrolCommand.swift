import ArgumentParser
import CodeDrawing
import CommandTool
import EventLoop
import SiteControl
import TextOutput

struct PhoneEnrolCommand: SiteSubcommand {
    static let configuration = CommandConfiguration(
        commandName: "enrol",
        abstract: "Enrol a phone: show a code that the phone uses at any box of the site.",
        discussion: """
            The user scans the code with the phone, or types it in, at any linked box of the site. Both sides then \
            show six digits. If the phone in front of you shows exactly the same digits, confirm them here. The phone \
            can then log in at every box of these groups. The code works once. It contains a secret: show it only to \
            the user of the phone.
            Examples:
              boxsite phone enrol anna --group 7
              boxsite phone enrol anna --group 7 --label "anna's phone" --minutes 30
            """, aliases: ["enroll"])

    @Argument(help: "The phone's user: the account on the boxes, at most 64 bytes.")
    var user: String
    @Option(help: "A group of boxes where the phone may log in, 1 to 65535. May be repeated, up to 8 times.")
    var group: [UInt16] = []
    @Option(help: "The phone's name in lists, at most 64 bytes. The default is the phone's own name.")
    var label: String?
    @Option(help: "How many minutes the code is valid, 1 to 60.")
    var minutes: UInt64 = 10
    @Flag(help: "The site keeps the user's password, behind a PIN whose tries count at all boxes.")
    var siteHeld = false
    @Flag(help: "Print the code only as text.")
    var noQr = false
    @OptionGroup var server: ServerOptions

    func perform(_ terminal: Terminal) throws {
        guard (1...SiteControlLimits.enrolmentMinutes).contains(minutes) else {
            throw SiteCommandFailure(
                .usage, "--minutes takes a whole number from 1 to \(SiteControlLimits.enrolmentMinutes)")
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
        let phone = shown.phone.map { $0.isEmpty ? "" : " \"\(Printable.text($0))\"" } ?? ""
        terminal.say("Compare with the phone\(phone): \(SixDigits.spaced(digits)).")
        guard terminal.confirm("Does the phone of \(Printable.text(name)) show exactly these digits?") else {
            try enrolment.confirm(digits, accept: false)
            throw SiteCommandFailure(.negative, "no phone was enrolled, and the code is cancelled")
        }
        try enrolment.confirm(digits, accept: true)
        terminal.say(
            "The phone of \(Printable.text(name)) is enrolled. Its grant is valid for 30 days, and boxes renew it.")
    }

    private static func failure(_ state: String) -> SiteCommandFailure {
        switch state {
        case "lost":
            SiteCommandFailure(
                .negative,
                "the phone disconnected before the comparison, and the code is used up; start again with a new code")
        case "cancelled", "declined":
            SiteCommandFailure(.negative, "another command cancelled the code; no phone was enrolled")
        case "done": SiteCommandFailure(.negative, "another command has already confirmed the digits")
        default:
            SiteCommandFailure(
                .tryAgain, "no phone used the code in time, and the code has expired; start again with a new code")
        }
    }
}

/// The requests of an enrolment in sequence. Any server of the site can answer each of them.
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

    /// Makes the code and shows it.
    func begin(_ request: SiteRequest, minutes: UInt64) throws {
        let (display, code) = (CodeDisplay(terminal: terminal, withoutDrawing: withoutDrawing), code)
        _ = try ServerConversation.ask(request, at: socket) { reply, bytes in
            guard case .enrolmentCode(let id, let text) = reply else { return }
            code.withLock { $0 = id }
            display.show(bytes.extracting(text))
        }
        guard !code.withLock({ $0 }).isEmpty else {
            throw SiteCommandFailure(
                .protocolMismatch, "the server's reply has no code; install the same version of boxsite and boxsited")
        }
        display.sayValidity(minutes * 60)
        terminal.say("At any box of the site, run: boxphone site enrol. Waiting for the phone …", to: .error)
    }

    /// Waits until the enrolment's state is no longer `state`, and returns the enrolment.
    func wait(after state: String) throws -> EnrolmentListing {
        while true {
            let found = Guarded<EnrolmentListing?>(nil)
            _ = try ServerConversation.ask(.enrolment(code: code.withLock { $0 }, after: state), at: socket) {
                reply, _ in
                if case .enrolment(let listing) = reply { found.withLock { $0 = listing } }
            }
            guard let listing = found.withLock({ $0 }) else {
                throw SiteCommandFailure(
                    .protocolMismatch,
                    "the server's reply is incomplete; install the same version of boxsite and boxsited")
            }
            if listing.state != state { return listing }
        }
    }

    func confirm(_ digits: String, accept: Bool) throws {
        _ = try ServerConversation.ask(
            .confirmEnrolment(code: code.withLock { $0 }, digits: digits, accept: accept), at: socket)
    }
}
