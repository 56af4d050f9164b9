import AgentClient
import TextOutput

/// The request on the command line.
enum BoxLoginArguments: Equatable, Sendable {
    case greet(Options)
    case help
    case version

    struct Options: Equatable, Sendable {
        var socket = AgentConnection.defaultPath
        var login = LoginProgram.path
        /// The session that greetd starts after a login. If nil, login(1) logs the user in and starts the session.
        var greetdCommand: [String]?
    }

    struct Problem: Error, Equatable, Sendable {
        let text: String
    }

    static let versionText = "0.1.0"

    static let usage = """
        usage: boxlogin [--socket FILE] [--login PROGRAM]
               boxlogin --greetd [--socket FILE] -- COMMAND [ARGUMENT...]
               boxlogin --version | --help

        The greeter of a box: shows the box ID and logs in the user who taps on a
        phone. Any key starts an ordinary login. agetty(8) starts it as root, or
        greetd(1) starts it as the greeter's user.

          --socket FILE      the agent's control socket, by default
                             /run/boxagent/control.sock
          --login PROGRAM    the login program, by default /bin/login
          --greetd           log in through greetd, which starts COMMAND as the
                             session, by a shell
          --version, --help

        Examples:
          agetty --noclear --skip-login --login-program /usr/bin/boxlogin tty1 linux
          boxlogin --greetd -- sway

        Exit status: 0 the terminal is gone, or greetd starts the session; 64 wrong
        arguments; 69 standard input is not a terminal, PROGRAM cannot be started, or
        greetd does not answer. Otherwise that of PROGRAM, which replaces this program.

        """

    static func parse(_ words: [String]) -> Result<BoxLoginArguments, Problem> {
        var options = Options()
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h": return .success(.help)
            case "--version": return .success(.version)
            case "--greetd": options.greetdCommand = options.greetdCommand ?? []
            case "--":
                options.greetdCommand = options.greetdCommand.map { _ in Array(rest) }
                guard options.greetdCommand != nil else {
                    return .failure(Problem(text: "a command needs --greetd before it"))
                }
                rest = []
            case "--socket", "--login":
                guard let value = rest.popFirst(), value.hasPrefix("/") else {
                    return .failure(Problem(text: "\(word) needs an absolute path"))
                }
                if word == "--socket" { options.socket = value } else { options.login = value }
            default:
                return .failure(Problem(text: "unknown argument '\(Printable.text(word))'"))
            }
        }
        guard options.greetdCommand != [] else {
            return .failure(Problem(text: "--greetd needs the command of a session, after --"))
        }
        return .success(.greet(options))
    }
}
