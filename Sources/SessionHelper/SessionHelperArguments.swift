import DBus
import TextOutput

/// The request on the command line.
enum SessionHelperArguments: Equatable, Sendable {
    case help(Options)
    case usage
    case version

    struct Options: Equatable, Sendable {
        static let defaultSocket = "/run/boxagent/control.sock"

        var socket = defaultSocket
        /// The D-Bus address of logind's bus.
        var bus = DBusConnection.systemBusAddress
        /// The session from the command line. If nil, XDG_SESSION_ID applies.
        var session: String?
        /// The process that opened the session on a text console. Nil if the user started this program.
        var opener: Int32?
        /// The screen locker of a desktop. If empty, the session is a text console, which this program locks.
        var locker: [String] = []
    }

    struct Problem: Error, Equatable, Sendable {
        let text: String
    }

    static let versionText = "0.1.0"

    static let usageText = """
        usage: boxagent-session [--socket FILE] [--session ID] [--bus ADDRESS]
                                [-- LOCKER [ARGUMENT...]]
               boxagent-session --session ID --console PROCESS
               boxagent-session --version | --help

        Helps in one session: locks and unlocks it when the phone or the administrator
        asks, and shows the agent's messages. Without LOCKER, the session must be on a
        text console, which this program locks itself.

          --socket FILE      the agent's control socket, by default
                             /run/boxagent/control.sock
          --session ID       the session, by default XDG_SESSION_ID
          --bus ADDRESS      the bus of systemd-logind; only tests need another than
                             the system's
          --console PROCESS  as session-hook(8) starts it after PROCESS opened a
                             session: helps only if logind says that PROCESS leads a
                             session of this user on a text console
          --version, --help

        Examples:
          boxagent-session -- /usr/bin/swaylock

        Exit status: 0 the session has ended, or needs no help; 64 wrong
        arguments; 69 there is no session, or no systemd-logind.

        """

    static func parse(_ words: [String]) -> Result<SessionHelperArguments, Problem> {
        var options = Options()
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h": return .success(.usage)
            case "--version": return .success(.version)
            case "--socket", "--session", "--bus", "--console":
                guard let value = rest.popFirst() else { return .failure(Problem(text: "\(word) needs a value")) }
                switch word {
                case "--socket": options.socket = value
                case "--bus": options.bus = value
                case "--console":
                    guard let process = Int32(value), process > 0 else {
                        return .failure(Problem(text: "--console needs the number of a process"))
                    }
                    options.opener = process
                default: options.session = value
                }
            case "--":
                options.locker = Array(rest)
                rest = []
                guard options.locker.first?.hasPrefix("/") ?? false else {
                    return .failure(Problem(text: "the locker needs an absolute path"))
                }
            default: return .failure(Problem(text: "unknown argument '\(Printable.text(word))'"))
            }
        }
        guard options.opener == nil || options.locker.isEmpty else {
            return .failure(Problem(text: "--console is for text consoles, which do not need a locker"))
        }
        return .success(.help(options))
    }
}
