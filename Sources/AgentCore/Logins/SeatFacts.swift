/// The place of a program that asks for a login, as reported by the kernel and logind.
///
/// Every user of the box can make a root program ask for a login where no user is present. LightDM puts a greeter on
/// any display that it is told of, and `machinectl login` runs login(1) on a pseudo-terminal. A tap is meant for the
/// screen in front of the user, so only a known screen gets the tap (docs/how-to/greeters.md).
package struct SeatFacts: Equatable, Sendable {
    /// A controlling terminal, by its device number (proc(5), /proc/PID/stat, tty_nr).
    package enum Terminal: Equatable, Sendable {
        case none
        /// A virtual terminal, by its number.
        case virtual(Int)
        /// A device that the kernel names in sysfs, such as ttyS0.
        case device(String)
        /// A pseudo-terminal, or another kind.
        case other
    }

    /// The facts about a process from /proc/PID/stat.
    package struct Process: Equatable, Sendable {
        package var terminal: Terminal
        package var parent: Int32

        package init(terminal: Terminal, parent: Int32) {
            self.terminal = terminal
            self.parent = parent
        }
    }

    /// A logind session that draws on a screen.
    package struct Screen: Equatable, Sendable {
        /// org.freedesktop.login1(5), Class.
        package var sessionClass: String
        package var user: [UInt8] = []
        /// The X11 display, such as `:0`. Empty for other sessions.
        package var display = ""
        /// 0 at a seat without virtual terminals.
        package var virtualTerminal = 0
        /// Empty without a seat.
        package var seat = ""
        /// True for the seat's active session. Without a seat, logind reports every session as active.
        package var isActive = true
        package var isRemote = false
        package var isClosing = false
        /// The parent of the process that opened the session, or nil if it cannot be seen.
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

    /// The asking process, or nil if it cannot be seen.
    package var process: Process?
    /// The virtual terminal that screen and keyboard are on, or nil if there is none.
    package var foreground: Int?
    /// The logind session of the process.
    package var session: String?
    package var screens: [Screen] = []
    /// The reason why logind cannot be asked.
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

    /// Returns why the user is perhaps not in front of the program, as the end of a sentence, or nil if the user is.
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

    /// Checks a process without a terminal, such as a display manager's worker. A login screen must have the same
    /// parent process (`opener`), and be the screen that PAM_TTY names. Both facts come from the display manager, which
    /// runs as root.
    private func refusalWithoutTerminal(_ process: Process) -> String? {
        if let logindProblem { return "it has no terminal, and \(logindProblem)" }
        if let session { return "it has no terminal, and is in session \(LogText.text(Array(session.utf8)))" }
        guard let place = Place(namedTerminal) else {
            return "it has no terminal, and \(LogText.text(namedTerminal)), which it names, is not a screen"
        }
        let there = screens.filter { !$0.isClosing && $0.opener == process.parent && place.isOf($0) }
        let greeters = there.filter(\.isGreeter)
        // A display manager also asks again for a user who has locked their session. It must then name the screen.
        let chosen =
            greeters.isEmpty && place != .unnamed ? there.filter { $0.user == user && !$0.user.isEmpty } : greeters
        guard let screen = chosen.first else {
            return "it has no terminal, and its display manager has no login screen there"
        }
        // If two screens cannot be told apart, a user who created the second could be served for the first.
        guard chosen.count == 1 else { return "its display manager has more than one login screen there" }
        guard !screen.seat.isEmpty, !screen.isRemote else { return "the login screen is not at a seat" }
        guard screen.isActive, screen.virtualTerminal == 0 || screen.virtualTerminal == foreground else {
            return "the login screen is not in the foreground of \(LogText.text(Array(screen.seat.utf8)))"
        }
        return nil
    }

    /// A screen as PAM_TTY names it: an X11 display, a virtual terminal, or nothing (greetd).
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

    /// Returns the display: `:0.0` and `:0` are the same (X(7), "Display Names"). Returns nil for another host's
    /// display.
    package static func display(_ text: String) -> String? {
        guard text.hasPrefix(":") else { return nil }
        let parts = text.dropFirst().split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let display = parts.first.flatMap({ number($0) }),
            parts.count == 1 || number(parts[1]) != nil
        else { return nil }
        return ":\(display)"
    }

    /// Parses a number of at most four digits, as displays and terminals have.
    package static func number(_ digits: Substring) -> Int? {
        guard (1...4).contains(digits.utf8.count), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(digits)
    }
}
