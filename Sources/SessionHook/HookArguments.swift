import CSessionHook
import PAMLogicEmbedded

/// The command line, which is empty when the PAM module starts this program.
enum HookArguments {
    case run(LogSockets, proc: [UInt8])
    case print(StaticString)
    case wrong

    private static let usage: StaticString = """
        Usage: session-hook [--journal-socket FILE] [--syslog-socket FILE]
                            [--proc DIRECTORY]
               session-hook --version | --help

        pam_boxagent.so starts it when a session opens. It reads a program and a user
        from standard input, becomes the user and runs the program: a hook, with the
        credential on its standard input, or the helper of a text console. Do not run it
        by hand.

          --journal-socket FILE   the socket of journald, by default
                                  /run/systemd/journal/stdout
          --syslog-socket FILE    the log's socket without journald, by default /dev/log
          --proc DIRECTORY        the kernel's view of sessions, by default /proc; only
                                  tests need another

        Exit status: 0 the program was run, with any result; 1 it was not run, the log
        says why; 64 wrong arguments.

        """

    // SAFETY: these are the arguments of this process, which live as long as it does.
    static func read() -> HookArguments {
        var sockets = LogSockets()
        var proc = TextLine("/proc").bytes
        var index: Int32 = 1
        while let option = chook_argument(index) {
            if strcmp(option, "--help") == 0 { return .print(usage) }
            if strcmp(option, "--version") == 0 { return .print("session-hook 0.1.0\n") }
            guard let value = chook_argument(index + 1) else { return .wrong }
            let path = [UInt8](UnsafeRawBufferPointer(start: value, count: strlen(value)))
            if strcmp(option, "--journal-socket") == 0 {
                sockets.journal = path
            } else if strcmp(option, "--syslog-socket") == 0 {
                sockets.syslog = path
            } else if strcmp(option, "--proc") == 0 {
                proc = path
            } else {
                return .wrong
            }
            index += 2
        }
        return .run(sockets, proc: proc)
    }

    /// Performs the request and returns the exit status.
    func run() -> Int32 {
        switch self {
        case .run(let sockets, let proc):
            return Starter(log: HookLog(sockets: sockets), proc: proc).run()
        case .print(let text):
            // SAFETY: the bytes of the literal.
            _ = write(1, text.utf8Start, text.utf8CodeUnitCount)
            return 0
        case .wrong:
            let text: StaticString = "session-hook: wrong arguments; see session-hook --help\n"
            // SAFETY: the bytes of the literal.
            _ = write(2, text.utf8Start, text.utf8CodeUnitCount)
            return 64
        }
    }
}
