import DaemonTool
import EventLoop
import Glibc
import PostgreSQL
import SiteSetup

/// The program boxsited: arguments, configuration, the loop, signals.
public enum ServerMain {
    static let usage = """
        usage: boxsited [--config FILE]
               boxsited --check-config [--config FILE]
               boxsited --version | --help

        The server of a site: it tells linked boxes what the site has signed.

          --config FILE      configuration, by default /etc/boxsite/boxsite.toml
          --check-config     check the configuration, report its problems and exit
          --version, --help

        Exit status: 0 stopped by SIGTERM or SIGINT; 64 wrong arguments; 69 a socket or
        a key file is not available; 78 the configuration is not valid. Standard error
        gives the reason. boxsite(1) makes a site.

        """
    static let version = "0.1.0"

    private static let grammar = DaemonArguments.Grammar.withFile("boxsited", version: version, usage: usage)

    /// Runs the program and returns its exit status.
    public static func run(arguments: [String]) -> Int32 {
        // Called before a second thread exists. The caller's environment must not control libpq.
        DatabaseEnvironment.clear()
        do throws(DaemonEnd) {
            let (configuration, _) = try grammar.read(arguments.dropFirst()).configuration(
                usual: SiteConfiguration.defaultPath, load: SiteConfiguration.load)
            return serve(configuration)
        } catch {
            return error.say()
        }
    }

    private static func serve(_ configuration: SiteConfiguration) -> Int32 {
        raiseDescriptorLimit()
        do throws(SystemError) {
            try ProcessHardening.apply()
        } catch {
            return DaemonEnd(status: 69, complaint: "boxsited: \(error)\n").say()
        }
        return EpollLoop.runMain { loop in await ServerProcess(loop: loop, configuration: configuration).run() }
    }

    /// Raises the limit of descriptors to the hard limit, as each box takes one. The soft limit is only for programs
    /// with select(2).
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        // SAFETY: both calls read or write the one record, which outlives them.
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
