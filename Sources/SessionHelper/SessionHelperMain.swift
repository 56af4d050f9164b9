import CSessionHelper
import EventLoop
import Glibc
import TextOutput

/// The program boxagent-session.
public enum SessionHelperMain {
    enum ExitCode {
        static let usage: Int32 = 64
        static let unavailable: Int32 = 69
    }

    public static func run(arguments: [String]) -> Int32 {
        switch SessionHelperArguments.parse(Array(arguments.dropFirst())) {
        case .failure(let problem):
            say(2, "boxagent-session: \(problem.text)\n\(SessionHelperArguments.usageText)")
            return ExitCode.usage
        case .success(.usage): say(1, SessionHelperArguments.usageText)
        case .success(.version): say(1, "boxagent-session \(SessionHelperArguments.versionText)\n")
        case .success(.help(let options)): return help(options)
        }
        return 0
    }

    private static func help(_ options: SessionHelperArguments.Options) -> Int32 {
        guard let id = options.session ?? variable("XDG_SESSION_ID"), !id.isEmpty else {
            say(2, "boxagent-session: no session: XDG_SESSION_ID is not set; name one with --session\n")
            return ExitCode.unavailable
        }
        // Users type passwords into this process.
        guard csession_harden() == 0 else {
            say(2, "boxagent-session: cannot keep other programs from reading the password in memory\n")
            return ExitCode.unavailable
        }
        csession_supervise()
        return EpollLoop.runMain { loop in
            await SessionHelper(loop: loop, session: id, options: options).run()
        }
    }

    private static func variable(_ name: String) -> String? {
        getenv(name).flatMap { String(validatingCString: $0) }
    }

    static func say(_ descriptor: Int32, _ text: String) {
        let bytes = Array(text.utf8)
        _ = write(descriptor, bytes, bytes.count)
    }
}
