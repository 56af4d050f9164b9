import CDirectory
import DaemonTool
import EventLoop
import Glibc

enum DirectoryMain {
    static let usage = """
        usage: boxsite-directory [--socket PATH] [--service NAME]
               boxsite-directory --check [--user NAME] [--service NAME]
               boxsite-directory --version | --help

        Looks up for boxsited whether users are in the directory and may log in, with
        NSS and PAM of this machine.

          --socket PATH      boxsited's control socket, by default
                             /run/boxsite/control.sock
          --service NAME     the PAM service whose account rules apply, by default
                             boxsite
          --check            report what keeps this machine from noticing leavers in
                             time; run it as root
          --user NAME        with --check: also report on this user
          --version, --help

        Exit status: 0 ended by SIGTERM or SIGINT, or no problems; 1 problems were
        found; 64 wrong arguments; 71 this program cannot wait for events; 78 PAM has no
        such service. The reason is on standard error.

        """
    static let version = "0.1.0"

    /// `--look-up` is for the process that this program starts itself.
    private static let grammar = DaemonArguments.Grammar(
        "boxsite-directory", version: version, usage: usage, switches: ["--check", "--look-up"],
        options: ["--socket": "a value", "--service": "a value", "--user": "a value"])

    /// Runs the program and returns its exit status.
    static func run(arguments: [String]) -> Int32 {
        do throws(DaemonEnd) {
            let given = try grammar.read(arguments.dropFirst())
            let service = given.value(of: "--service") ?? "boxsite"
            guard isService(service) else {
                throw grammar.refusal("--service must consist of lower-case letters, digits, - and _")
            }
            switch given.switches.last {
            case "--check": return DirectoryCheck.run(service: service, name: given.value(of: "--user"))
            case "--look-up": return DirectoryLookUp.run(service: service)
            default:
                return try serve(socket: given.value(of: "--socket") ?? "/run/boxsite/control.sock", service: service)
            }
        } catch {
            return error.say()
        }
    }

    /// Checks the name, because it becomes part of a path.
    private static func isService(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D || $0 == 0x5F
            }
    }

    private static func serve(socket: String, service: String) throws(DaemonEnd) -> Int32 {
        guard cdirectory_has_service(service) != 0 else {
            throw DaemonEnd(
                status: DaemonEnd.configuration,
                complaint: "boxsite-directory: there is no /etc/pam.d/\(service), so PAM would refuse every user\n")
        }
        return EpollLoop.runMain { loop in
            let stopped = WaitPoint(on: loop)
            let mark = stopped.mark()
            let signals: SignalWatch
            do throws(SystemError) {
                signals = try loop.signals([SIGTERM, SIGINT]) { _ in stopped.signal() }
            } catch {
                write(2, "boxsite-directory: \(error)\n")
                return 71
            }
            defer { withExtendedLifetime(signals) {} }
            let systemd = Notify()
            let client = DirectoryClient(
                loop: loop, socket: socket, runner: DirectoryRunner(loop: loop, service: service))
            let task = loop.spawn {
                var said = ""
                while !Task.isCancelled {
                    let why = await client.serve()
                    if why != said { write(2, "boxsite-directory: \(why)\n") }
                    said = why
                    guard (try? await loop.sleep(until: loop.now() + DirectoryClient.pause)) != nil else { return }
                }
            }
            systemd.ready()
            let watchdog = systemd.keepWatchdog(on: loop)
            _ = await stopped.wait(since: mark)
            systemd.stopping()
            watchdog?.cancel()
            task.cancel()
            return 0
        }
    }

    static func write(_ descriptor: Int32, _ text: String) {
        let bytes = Array(text.utf8)
        _ = Glibc.write(descriptor, bytes, bytes.count)
    }
}
