import AgentClient
import TextOutput

/// What the command line asks for.
enum BoxLoginArguments: Equatable, Sendable {
    case greet(Options)
    case help
    case version

    struct Options: Equatable, Sendable {
        var socket = AgentConnection.defaultPath
        var login = LoginProgram.path
    }

    struct Problem: Error, Equatable, Sendable {
        let text: String
    }

    static let versionText = "0.1.0"

    static let usage = """
        usage: boxlogin [--socket FILE] [--login PROGRAM]
               boxlogin --version | --help

        The greeter of a box: shows the box ID and logs in whoever taps on a phone; any key leads to an ordinary login.
        It is started by agetty(8): agetty --skip-login --login-program /usr/bin/boxlogin …

          --socket FILE      the agent's control socket, by default /run/boxagent/control.sock
          --login PROGRAM    what logs people in, by default /bin/login
          --version, --help

        Example:
          agetty --noclear --skip-login --login-program /usr/bin/boxlogin tty1 linux

        Exit status: 0 the terminal is gone; 64 wrong arguments; 69 standard input is no terminal, or PROGRAM cannot
        be started. Otherwise that of PROGRAM, which takes this program's place.

        """

    static func parse(_ words: [String]) -> Result<BoxLoginArguments, Problem> {
        var options = Options()
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h": return .success(.help)
            case "--version": return .success(.version)
            case "--socket", "--login":
                guard let value = rest.popFirst(), value.hasPrefix("/") else {
                    return .failure(Problem(text: "\(word) needs an absolute path"))
                }
                if word == "--socket" { options.socket = value } else { options.login = value }
            default:
                return .failure(Problem(text: "unknown argument '\(Printable.text(word))'"))
            }
        }
        return .success(.greet(options))
    }
}
