import ConfigurationFile
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
          --check-config     read the configuration, say what is wrong with it, and end
          --version, --help

        Exit status: 0 ended by SIGTERM or SIGINT; 64 wrong arguments; 69 a socket is not to be had; 78 the
        configuration is wrong. The reason is on standard error.

        """

    /// Runs the program; returns its exit status.
    static func run(arguments: [String]) -> Int32 {
        var path = PageConfiguration.defaultPath
        var check = false
        var rest = arguments.dropFirst()[...]
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h":
                write(1, usage)
                return 0
            case "--version":
                write(1, "boxsite-page \(version)\n")
                return 0
            case "--check-config": check = true
            case "--config":
                guard let value = rest.popFirst() else { return refuse("--config needs a file") }
                path = value
            default: return refuse("there is no argument \(word.prefix(64))")
            }
        }
        let configuration: PageConfiguration
        do throws(ConfigurationError) {
            configuration = try PageConfiguration.load(path: path)
        } catch {
            write(2, "boxsite-page: the configuration is refused\n\(error)\n")
            return 78
        }
        if check {
            write(1, "\(path): no problems\n")
            return 0
        }
        return serve(configuration)
    }

    private static func serve(_ configuration: PageConfiguration) -> Int32 {
        do throws(SystemError) {
            try ProcessHardening.apply()
        } catch {
            write(2, "boxsite-page: \(error)\n")
            return 69
        }
        return EpollLoop.runMain { loop in await PageProcess(loop: loop, configuration: configuration).run() }
    }

    private static func refuse(_ what: String) -> Int32 {
        write(2, "boxsite-page: \(what)\n\(usage)")
        return 64
    }

    /// One line or more, for a person or the journal.
    static func write(_ descriptor: Int32, _ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
