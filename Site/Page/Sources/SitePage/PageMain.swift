import DaemonTool
import EventLoop
import Glibc

/// The program boxsite-page: arguments, configuration, the loop, signals.
enum PageMain {
    static let version = "0.1.0"
    private static let usage = """
        usage: boxsite-page [--config FILE]
               boxsite-page --check-config [--config FILE]
               boxsite-page --version | --help

        The web page of a site's administrators. It asks boxsited, and keeps nothing.

          --config FILE      configuration, by default /etc/boxsite/page.toml
          --check-config     check the configuration, report its problems and exit
          --version, --help

        Exit status: 0 ended by SIGTERM or SIGINT; 64 wrong arguments; 69 a socket is not to be had; 78 the
        configuration is wrong. The reason is on standard error.

        """

    private static let grammar = DaemonArguments.Grammar.withFile("boxsite-page", version: version, usage: usage)

    /// Runs the program and returns its exit status.
    static func run(arguments: [String]) -> Int32 {
        do throws(DaemonEnd) {
            let (configuration, _) = try grammar.read(arguments.dropFirst()).configuration(
                usual: PageConfiguration.defaultPath, load: PageConfiguration.load)
            return serve(configuration)
        } catch {
            return error.say()
        }
    }

    private static func serve(_ configuration: PageConfiguration) -> Int32 {
        do throws(SystemError) {
            try ProcessHardening.apply()
        } catch {
            return DaemonEnd(status: 69, complaint: "boxsite-page: \(error)\n").say()
        }
        return EpollLoop.runMain { loop in await PageProcess(loop: loop, configuration: configuration).run() }
    }

    /// Writes lines for a person or the journal.
    static func write(_ descriptor: Int32, _ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
