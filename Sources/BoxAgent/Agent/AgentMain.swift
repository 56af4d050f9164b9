import AgentConfiguration
import AgentCore
import EventLoop
import Glibc

/// The program boxagentd: arguments, configuration, the loop, signals.
public enum AgentMain {
    static let usage = """
        usage: boxagentd [--config FILE]
               boxagentd --check-config [--config FILE]
               boxagentd --print-defaults | --version | --help

        The agent of a box: takes credentials from enrolled phones and hands them to PAM.

          --config FILE      configuration, by default /etc/boxagent/boxagent.toml
          --check-config     read the configuration, say what is wrong with it, and end
          --print-defaults   print the commented default configuration
          --version, --help

        Examples:
          boxagentd --check-config
          boxagentd --config ./boxagent.toml      as an ordinary user, on directories of its own

        Exit status: 0 ended by SIGTERM or SIGINT; 64 wrong arguments; 69 a socket, the radio or the
        vault is not to be had; 78 the configuration is wrong. The reason is on standard error.

        """

    /// Runs the program; returns its exit status.
    public static func run(arguments: [String]) -> Int32 {
        switch AgentArguments.parse(Array(arguments.dropFirst())) {
        case .failure(let problem):
            Console.write(2, "boxagentd: \(problem.text)\n\(usage)")
            return AgentExitCode.usage
        case .success(.help):
            Console.write(1, usage)
        case .success(.version):
            Console.write(1, "boxagentd \(AgentVersion.text)\n")
        case .success(.printDefaults):
            Console.write(1, ConfigurationText.commentedDefaults)
        case .success(.check(let path)):
            guard load(path) != nil else { return AgentExitCode.configuration }
            Console.write(1, "\(path): no problems\n")
        case .success(.serve(let path)):
            guard let configuration = load(path) else { return AgentExitCode.configuration }
            return serve(configuration, path: path)
        }
        return 0
    }

    private static func load(_ path: String) -> Configuration? {
        do {
            return try Configuration.load(path: path)
        } catch {
            Console.write(2, "boxagentd: the configuration is refused\n\(error)\n")
            return nil
        }
    }

    private static func serve(_ configuration: Configuration, path: String) -> Int32 {
        let log = AgentLog(forJournal: Console.isJournal)
        do {
            try ProcessHardening.apply()
        } catch {
            log.error("\(error)")
            return AgentExitCode.unavailable
        }
        return EpollLoop.runMain { loop in
            await AgentProcess(loop: loop, log: log, configuration: configuration, path: path).run()
        }
    }
}

/// What the command line asks for.
enum AgentArguments: Equatable, Sendable {
    case serve(String)
    case check(String)
    case printDefaults
    case version
    case help

    struct Problem: Error, Equatable, Sendable {
        let text: String
    }

    static let defaultPath = "/etc/boxagent/boxagent.toml"

    static func parse(_ words: [String]) -> Result<AgentArguments, Problem> {
        var path: String?
        var check = false
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h": return .success(.help)
            case "--version": return .success(.version)
            case "--print-defaults": return .success(.printDefaults)
            case "--check-config": check = true
            case "--config":
                guard let value = rest.popFirst() else { return .failure(Problem(text: "--config needs a file")) }
                path = value
            default:
                return .failure(Problem(text: "unknown argument '\(LogText.text(Array(word.utf8)))'"))
            }
        }
        let file = path ?? defaultPath
        return .success(check ? .check(file) : .serve(file))
    }
}
