import Testing

@testable import AgentCore

@Suite("Where a program stands that asks for a login")
struct SeatFactsTests {
    private static let manager: Int32 = 700

    private func onTerminal(_ terminal: SeatFacts.Terminal, foreground: Int? = 1) -> SeatFacts {
        SeatFacts(process: SeatFacts.Process(terminal: terminal, parent: 1), foreground: foreground)
    }

    private func greeter(
        display: String = ":0", terminal: Int = 7, seat: String = "seat0",
        change: (inout SeatFacts.Screen) -> Void = { _ in }
    ) -> SeatFacts.Screen {
        var screen = SeatFacts.Screen(
            sessionClass: "greeter", display: display, virtualTerminal: terminal, seat: seat, opener: Self.manager)
        change(&screen)
        return screen
    }

    /// A display manager's worker for alice, with terminal 7 in the foreground.
    private func worker(_ named: String, _ screens: [SeatFacts.Screen]) -> SeatFacts {
        SeatFacts(
            process: SeatFacts.Process(terminal: .none, parent: Self.manager), foreground: 7, screens: screens,
            namedTerminal: Array(named.utf8), user: Array("alice".utf8))
    }

    private func isServed(_ facts: SeatFacts, serial: [String] = []) -> Bool {
        facts.refusal(serialConsoles: serial) == nil
    }

    @Test("A login on the virtual terminal in the foreground is served, and on no other one")
    func virtualTerminals() {
        #expect(isServed(onTerminal(.virtual(1))))
        #expect(!isServed(onTerminal(.virtual(2))))
        #expect(!isServed(onTerminal(.virtual(1), foreground: nil)))
    }

    @Test("A login on a pseudo-terminal is served nowhere, whatever terminal it names and the configuration says")
    func pseudoTerminals() {
        var facts = worker(":0", [greeter()])
        facts.process?.terminal = .other
        #expect(!isServed(facts, serial: ["pts", "pts/0"]))
    }

    @Test("A serial line is served when the configuration names it")
    func serialLines() {
        #expect(!isServed(onTerminal(.device("ttyS0"))))
        #expect(!isServed(onTerminal(.device("ttyS0")), serial: ["ttyS1"]))
        #expect(isServed(onTerminal(.device("ttyS0")), serial: ["ttyS1", "ttyS0"]))
    }

    @Test("A program of which the kernel shows nothing is not served")
    func unseen() {
        #expect(!isServed(SeatFacts(process: nil, foreground: 1, screens: [greeter()])))
    }

    @Test(
        "A display manager's worker is served behind its login screen in the foreground",
        arguments: [":0", ":0.0", "/dev/tty7", "tty7", ""])
    func workers(named: String) {
        #expect(isServed(worker(named, [greeter()])))
    }

    @Test("A login screen of a seat without virtual terminals is served while it is the seat's active session")
    func otherSeats() {
        let first = greeter()
        let second = greeter(display: ":1", terminal: 0, seat: "seat1")
        #expect(isServed(worker(":1", [first, second])))
        #expect(
            !isServed(
                worker(":1", [first, greeter(display: ":1", terminal: 0, seat: "seat1") { $0.isActive = false }])))
    }

    @Test("A display that anybody has made, and LightDM has put a greeter on, is not served")
    func addedDisplays() {
        let added = greeter(display: ":50", terminal: 0, seat: "")
        #expect(!isServed(worker(":50", [greeter(), added])))
        #expect(!isServed(worker(":50", [greeter()])))
        #expect(!isServed(worker(":50", [added])))
    }

    @Test("Of two login screens that cannot be told apart neither is served")
    func ambiguous() {
        let added = greeter(display: ":50", terminal: 0, seat: "")
        #expect(!isServed(worker("", [greeter(), added])))
        #expect(!isServed(worker(":0", [greeter(), greeter { $0.seat = "" }])))
        #expect(isServed(worker(":0", [greeter(), greeter { $0.isClosing = true }])))
    }

    @Test("A login screen in the background, of another place or of another program's is not served")
    func otherScreens() {
        #expect(!isServed(worker(":0", [greeter { $0.isActive = false }])))
        #expect(!isServed(worker(":0", [greeter(terminal: 8)])))
        #expect(!isServed(worker(":0", [greeter { $0.isRemote = true }])))
        #expect(!isServed(worker(":0", [greeter { $0.opener = 701 }])))
        #expect(!isServed(worker(":0", [greeter { $0.opener = nil }])))
        #expect(!isServed(worker(":0", [])))
    }

    @Test("A program without a terminal is not served from within a session, or while logind cannot be asked")
    func logind() {
        var facts = worker(":0", [greeter()])
        facts.session = "c3"
        #expect(!isServed(facts))
        facts = worker(":0", [greeter()])
        facts.logindProblem = "systemd-logind is not running"
        #expect(!isServed(facts))
    }

    @Test("A locked session's own display manager may ask for its user again, and for nobody else")
    func unlocking() {
        func session(of user: String) -> SeatFacts.Screen {
            greeter {
                $0.sessionClass = "user"
                $0.user = Array(user.utf8)
            }
        }
        #expect(isServed(worker("/dev/tty7", [session(of: "alice")])))
        #expect(!isServed(worker("/dev/tty7", [session(of: "bob")])))
        #expect(!isServed(worker("", [session(of: "alice")])))
        #expect(!isServed(worker("/dev/tty7", [session(of: "")])))
    }

    @Test(
        "A name that is no display of this machine and no virtual terminal is not served",
        arguments: [
            "host:0", ":", ":0.0.0", ":0.x", ":-1", ":00000", "tty", "tty7x", "pts/7", "/dev/pts/7", "ssh", "\u{fffd}",
        ])
    func names(named: String) {
        #expect(!isServed(worker(named, [greeter()])))
    }
}
