import ConfigurationFile
import EventLoop
import Glibc
import PostgreSQL

/// The program boxsited: arguments, configuration, the loop, signals.
public enum ServerMain {
    static let usage = """
        usage: boxsited [--config FILE]
               boxsited --check-config [--config FILE]
               boxsited --version | --help

        The server of a site: boxes link to it, and hear from it what the site signs.

          --config FILE      configuration, by default /etc/boxsite/boxsite.toml
          --check-config     read the configuration, say what is wrong with it, and end
          --version, --help

        Exit status: 0 ended by SIGTERM or SIGINT; 64 wrong arguments; 69 a socket or a key file is not to be
        had; 78 the configuration is wrong. The reason is on standard error. boxsite(1) makes a site.

        """
    static let version = "0.1.0"

    /// Runs the program; returns its exit status.
    public static func run(arguments: [String]) -> Int32 {
        // Before there is a second thread: nothing of whoever started this steers libpq.
        DatabaseEnvironment.clear()
        var path = SiteConfiguration.defaultPath
        var check = false
        var rest = arguments.dropFirst()[...]
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h":
                write(1, usage)
                return 0
            case "--version":
                write(1, "boxsited \(version)\n")
                return 0
            case "--check-config": check = true
            case "--config":
                guard let value = rest.popFirst() else { return refuse("--config needs a file") }
                path = value
            default: return refuse("there is no argument \(word.prefix(64))")
            }
        }
        let configuration: SiteConfiguration
        do throws(ConfigurationError) {
            configuration = try SiteConfiguration.load(path: path)
        } catch {
            write(2, "boxsited: the configuration is refused\n\(error)\n")
            return 78
        }
        if check {
            write(1, "\(path): no problems\n")
            return 0
        }
        return serve(configuration)
    }

    private static func refuse(_ what: String) -> Int32 {
        write(2, "boxsited: \(what)\n\(usage)")
        return 64
    }

    private static func serve(_ configuration: SiteConfiguration) -> Int32 {
        raiseDescriptorLimit()
        do throws(SystemError) {
            try ProcessHardening.apply()
        } catch {
            write(2, "boxsited: \(error)\n")
            return 69
        }
        return EpollLoop.runMain { loop in await ServerProcess(loop: loop, configuration: configuration).run() }
    }

    /// As many descriptors as this process may have: the usual soft limit is there for select(2) alone, and each box takes one.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        // SAFETY: both calls read or write the one record, which outlives them.
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    static func write(_ descriptor: Int32, _ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
