import AgentConfiguration
import DaemonTool
import EventLoop

/// The program boxagentd: handles arguments, configuration, loop and signals.
public enum AgentMain {
    static let usage = """
        usage: boxagentd [--config FILE]
               boxagentd --check-config [--config FILE]
               boxagentd --print-defaults | --version | --help

        The agent of a box: receives credentials from enrolled phones and hands them
        to PAM.

          --config FILE      configuration, by default /etc/boxagent/boxagent.toml
          --check-config     check the configuration, report its problems and exit
          --print-defaults   print the commented default configuration
          --version, --help

        Examples:
          boxagentd --check-config
          boxagentd --config ./boxagent.toml      as an ordinary user

        Exit status: 0 stopped by SIGTERM or SIGINT; 64 wrong arguments; 69 a socket,
        the radio or the vault is not available; 78 the configuration is not valid.
        Standard error gives the reason.

        """

    private static let grammar = DaemonArguments.Grammar.withFile(
        "boxagentd", version: AgentVersion.text, usage: usage,
        texts: ["--print-defaults": { ConfigurationText.commentedDefaults }])

    /// Runs the program; returns its exit status.
    public static func run(arguments: [String]) -> Int32 {
        do throws(DaemonEnd) {
            let (configuration, path) = try grammar.read(arguments.dropFirst()).configuration(
                usual: "/etc/boxagent/boxagent.toml", load: Configuration.load)
            return serve(configuration, path: path)
        } catch {
            return error.say()
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
