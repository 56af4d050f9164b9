/// Where a program stands that asks for a login: what the kernel and logind say of it.
///
/// Everybody on the box can have a root program ask for a login somewhere that no person stands in front of: LightDM puts
/// a greeter on any display that it is told of, `machinectl login` gives a login(1) on a pseudo-terminal. A tap is meant
/// for the screen in front of the person, so only what is known to be such a screen gets it (docs/how-to/greeters.md).
package struct SeatFacts: Equatable, Sendable {
    /// A controlling terminal, by its device number (proc(5), /proc/PID/stat, tty_nr).
    package enum Terminal: Equatable, Sendable {
        case none
        /// A virtual terminal, by its number.
        case virtual(Int)
        /// A device that the kernel names in sysfs, such as ttyS0.
        case device(String)
        /// A pseudo-terminal, or anything else.
        case other
    }

    /// What /proc/PID/stat says of a process.
    package struct Process: Equatable, Sendable {
        package var terminal: Terminal
        package var parent: Int32

        package init(terminal: Terminal, parent: Int32) {
            self.terminal = terminal
            self.parent = parent
        }
    }

    /// A session of logind's that draws on a screen.
    package struct Screen: Equatable, Sendable {
        /// org.freedesktop.login1(5), Class.
        package var sessionClass: String
        package var user: [UInt8] = []
        /// `:0`; empty where it is no X11 display.
        package var display = ""
        /// 0 at a seat without virtual terminals.
        package var virtualTerminal = 0
        /// Empty without a seat.
        package var seat = ""
        /// The seat's active session; without a seat logind calls every session active.
        package var isActive = true
        package var isRemote = false
        package var isClosing = false
        /// The parent of the process that opened it; nil when that cannot be seen.
        package var opener: Int32?

        package init(
            sessionClass: String, user: [UInt8] = [], display: String = "", virtualTerminal: Int = 0,
            seat: String = "", isActive: Bool = true, isRemote: Bool = false, isClosing: Bool = false,
            opener: Int32? = nil
        ) {
            self.sessionClass = sessionClass
            self.user = user
            self.display = display
            self.virtualTerminal = virtualTerminal
            self.seat = seat
            self.isActive = isActive
            self.isRemote = isRemote
            self.isClosing = isClosing
            self.opener = opener
        }

        package var isGreeter: Bool { sessionClass == "greeter" || sessionClass == "lock-screen" }
    }

    /// The asking process; nil when it cannot be seen.
    package var process: Process?
    /// The virtual terminal that the screen and the keyboard are on; nil without any.
    package var foreground: Int?
    /// The logind session that the process is in.
    package var session: String?
    package var screens: [Screen] = []
    /// Why logind cannot be asked.
    package var logindProblem: String?
    /// PAM_TTY, as the program has set it.
    package var namedTerminal: [UInt8] = []
    /// PAM_USER.
    package var user: [UInt8]?

    package init(
        process: Process? = nil, foreground: Int? = nil, session: String? = nil, screens: [Screen] = [],
        logindProblem: String? = nil, namedTerminal: [UInt8] = [], user: [UInt8]? = nil
    ) {
        self.process = process
        self.foreground = foreground
        self.session = session
        self.screens = screens
        self.logindProblem = logindProblem
        self.namedTerminal = namedTerminal
        self.user = user
    }

    /// Why no person stands in front of the program as far as can be known, as the rest of a sentence; nil when one does.
    package func refusal(serialConsoles: [String]) -> String? {
        guard let process else {
            return "boxagentd cannot see its process; if /proc is mounted with hidepid=, see boxagentd(8)"
        }
        switch process.terminal {
        case .virtual(let number):
            return number == foreground ? nil : "its terminal tty\(number) is not in the foreground"
        case .device(let name):
            return serialConsoles.contains(name) ? nil : "its terminal \(name) is not in login.serial_consoles"
        case .other: return "its terminal is not at a seat"
        case .none: return refusalWithoutTerminal(process)
        }
    }

    /// A display manager's worker has no terminal. It is known by its parent, which opened the login screen as well, and
    /// by the screen that it names: both are the display manager's doing, and it is root's.
    private func refusalWithoutTerminal(_ process: Process) -> String? {
        if let logindProblem { return "it has no terminal, and \(logindProblem)" }
        if let session { return "it has no terminal, and is in session \(LogText.text(Array(session.utf8)))" }
        guard let place = Place(namedTerminal) else {
            return "it has no terminal, and \(LogText.text(namedTerminal)), which it names, is not a screen"
        }
        let there = screens.filter { !$0.isClosing && $0.opener == process.parent && place.isOf($0) }
        let greeters = there.filter(\.isGreeter)
        // A display manager asks again for who has locked their session, too. It must name the screen.
        let chosen =
            greeters.isEmpty && place != .unnamed ? there.filter { $0.user == user && !$0.user.isEmpty } : greeters
        guard let screen = chosen.first else {
            return "it has no terminal, and its display manager has no login screen there"
        }
        // Two that cannot be told apart: whoever made the second one could be served for the first.
        guard chosen.count == 1 else { return "its display manager has more than one login screen there" }
        guard !screen.seat.isEmpty, !screen.isRemote else { return "the login screen is not at a seat" }
        guard screen.isActive, screen.virtualTerminal == 0 || screen.virtualTerminal == foreground else {
            return "the login screen is not in the foreground of \(LogText.text(Array(screen.seat.utf8)))"
        }
        return nil
    }

    /// A screen as PAM_TTY names it: an X11 display (without its screen), a virtual terminal, or not at all (greetd).
    private enum Place: Equatable {
        case unnamed
        case display(String)
        case terminal(Int)

        init?(_ name: [UInt8]) {
            guard let text = String(validating: name, as: UTF8.self) else { return nil }
            let short = text.hasPrefix("/dev/") ? String(text.dropFirst(5)) : text
            if text.isEmpty {
                self = .unnamed
            } else if let display = SeatFacts.display(text) {
                self = .display(display)
            } else if short.hasPrefix("tty"), let number = SeatFacts.number(short.dropFirst(3)) {
                self = .terminal(number)
            } else {
                return nil
            }
        }

        func isOf(_ screen: Screen) -> Bool {
            switch self {
            case .unnamed: true
            case .display(let display): SeatFacts.display(screen.display) == display
            case .terminal(let number): screen.virtualTerminal == number
            }
        }
    }

    /// `:0.0` and `:0` are one display (X(7), "Display Names"). Nil for one on another host.
    package static func display(_ text: String) -> String? {
        guard text.hasPrefix(":") else { return nil }
        let parts = text.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let display = parts.first.flatMap({ number($0) }),
            parts.count == 1 || number(parts[1]) != nil
        else { return nil }
        return ":\(display)"
    }

    /// A number of at most four digits, as displays and terminals have.
    package static func number(_ digits: Substring) -> Int? {
        guard (1...4).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(digits)
    }
}
