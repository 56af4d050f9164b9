import DBus
import TextOutput

/// What the command line asks for.
enum SessionHelperArguments: Equatable, Sendable {
    case help(Options)
    case usage
    case version

    struct Options: Equatable, Sendable {
        static let defaultSocket = "/run/boxagent/control.sock"

        var socket = defaultSocket
        /// The bus that logind is on, as a D-Bus address.
        var bus = DBusConnection.systemBusAddress
        /// XDG_SESSION_ID, where it is not the environment's.
        var session: String?
        /// Started by pam_exec(8), as root, when a session opens.
        var opensSession = false
        /// The screen locker of a desktop; empty: the session is a text console, which is locked here.
        var locker: [String] = []
    }

    struct Problem: Error, Equatable, Sendable {
        let text: String
    }

    static let versionText = "0.1.0"

    static let usageText = """
        usage: boxagent-session [--socket FILE] [--session ID] [--bus ADDRESS] [-- LOCKER [ARGUMENT...]]
               boxagent-session --open-session
               boxagent-session --version | --help

        Helps in one session: locks it when the phone or the administrator asks, unlocks it, and shows what the agent has
        to say. Without LOCKER the session is one on a text console, which this program locks itself.

          --socket FILE      the agent's control socket, by default /run/boxagent/control.sock
          --session ID       the session, by default XDG_SESSION_ID
          --bus ADDRESS      the D-Bus that systemd-logind is on; only tests need another than the system's
          --open-session     as pam_exec(8) starts it when a session opens on a text console: goes on in the background,
                             as the user
          --version, --help

        Examples:
          boxagent-session -- /usr/bin/swaylock

        Exit status: 0 the session has ended, or needs no help; 64 wrong arguments; 69 there is no session, or no
        systemd-logind.

        """

    static func parse(_ words: [String]) -> Result<SessionHelperArguments, Problem> {
        var options = Options()
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h": return .success(.usage)
            case "--version": return .success(.version)
            case "--open-session": options.opensSession = true
            case "--socket", "--session", "--bus":
                guard let value = rest.popFirst() else { return .failure(Problem(text: "\(word) needs a value")) }
                switch word {
                case "--socket": options.socket = value
                case "--bus": options.bus = value
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
        return .success(.help(options))
    }
}
