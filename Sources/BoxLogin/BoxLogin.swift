import CBoxLogin

/// The program boxlogin.
public enum BoxLogin {
    /// Exit codes of sysexits(3).
    enum ExitCode {
        static let usage: Int32 = 64
        static let unavailable: Int32 = 69
    }

    /// How long an error stays on the screen before boxlogin exits and agetty restarts.
    private static let errorMilliseconds: Int32 = 5_000

    /// Runs the program until it ends, or until a login program replaces it.
    public static func run() -> Never {
        exit(run(arguments()))
    }

    /// Returns the command line without the program's name.
    private static func arguments() -> [String] {
        var words: [String] = []
        // SAFETY: these are the arguments of this process, which live as long as it does.
        while let word = cboxlogin_argument(Int32(words.count + 1)) { words.append(String(cString: word)) }
        return words
    }

    private static func run(_ words: [String]) -> Int32 {
        switch BoxLoginArguments.parse(words) {
        case .failure(let problem):
            say(2, "boxlogin: \(problem.text)\n\(BoxLoginArguments.usage)")
            return ExitCode.usage
        case .success(.help):
            say(1, BoxLoginArguments.usage)
            return 0
        case .success(.version):
            say(1, "boxlogin \(BoxLoginArguments.versionText)\n")
            return 0
        case .success(.greet(let options)):
            return greet(options)
        }
    }

    private static func greet(_ options: BoxLoginArguments.Options) -> Int32 {
        guard var terminal = ConsoleTerminal() else {
            say(2, "boxlogin: standard input is not a terminal; start it with agetty(8), see boxlogin(8)\n")
            return ExitCode.unavailable
        }
        if let command = options.greetdCommand { return greet(options, &terminal, startingByGreetd: command) }
        terminal.takeOver()
        var loop = GreeterLoop(socket: options.socket, terminal: terminal)
        let end = loop.run(terminal)
        terminal.giveBack()
        guard case .logIn(let user) = end else { return 0 }
        let reason = LoginProgram.replaceThisProcess(options.login, user)
        say(2, "boxlogin: \(options.login) cannot be started: \(reason); install it, or name another with --login\n")
        poll(nil, 0, errorMilliseconds)
        return ExitCode.unavailable
    }

    private static func greet(
        _ options: BoxLoginArguments.Options, _ terminal: inout ConsoleTerminal, startingByGreetd command: [String]
    ) -> Int32 {
        do throws(GreetdError) {
            let greetd = try GreetdSocket(path: getenv("GREETD_SOCK").map { String(cString: $0) })
            noCore()
            terminal.takeOver()
            var notice: String?
            while true {
                var loop = GreeterLoop(socket: options.socket, terminal: terminal, notice: notice)
                guard case .logIn(let user) = loop.run(terminal) else { break }
                let end = try GreetdLogin.run(user, command, greetd, terminal)
                guard case .refused(let text) = end else { break }
                notice = text
            }
            terminal.giveBack()
            return 0
        } catch {
            terminal.giveBack()
            say(2, "boxlogin: \(error.what); \(error.cure)\n")
            return ExitCode.unavailable
        }
    }

    /// Forbids core dumps, since users type passwords here. Must not be called before login(1) starts, because its
    /// session would inherit the limit.
    private static func noCore() {
        _ = cboxlogin_no_core()
    }

    private static func say(_ descriptor: Int32, _ text: String) {
        let bytes = Array(text.utf8)
        // SAFETY: pointer and length describe `bytes`, which outlives the call. A truncated message does no harm.
        _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}
