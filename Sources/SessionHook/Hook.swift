import AgentProtocolEmbedded
import CSessionHook
import PAMLogicEmbedded

/// One session's hook, from the order on standard input to the program's end.
struct Hook {
    let log: HookLog

    /// The exit status, which nobody waits for.
    func run() -> Int32 {
        guard chook_prepare() == 0 else {
            log.say(TextLine("this process could not be made safe for a password; nothing was run"))
            return 1
        }
        guard let program = start() else { return 1 }
        program.watch(log)
        return 0
    }

    /// When this returns, the credential is in the program's pipe and nowhere else.
    private func start() -> HookProgram? {
        guard let message = HookMessage() else {
            log.say(TextLine("there is no order of pam_boxagent.so on standard input, or no memory to lock"))
            return nil
        }
        let order = message.order
        _ = close(0)
        if let (step, problem) = Self.distrust(order.program) {
            refuse(order, step, problem.text)
            return nil
        }
        guard let user = HookUser.find(order.user) else {
            refuse(order, order.user, HookUser.Problem.unknown.text)
            return nil
        }
        if let problem = user.become() {
            refuse(order, order.user, problem.text)
            return nil
        }
        _ = setsid()
        var isHome = false
        user.home.withCString { isHome = chdir($0) == 0 }
        if !isHome { _ = chdir("/") }
        if let session = Self.value(of: "XDG_SESSION_ID=", in: order.environment),
            !SessionScope.holdsThisProcess(session)
        {
            log.say(
                TextLine(
                    "it runs outside its session's scope and may outlive it; the line with hook= belongs behind pam_systemd.so"
                ))
        }
        return launch(message, user)
    }

    private func launch(_ message: borrowing HookMessage, _ user: HookUser) -> HookProgram? {
        let order = message.order
        var ends: [Int32] = [-1, -1]
        // SAFETY: the array is the call's own.
        guard ends.withUnsafeMutableBufferPointer({ chook_pipe($0.baseAddress) == 0 }) else {
            refuse(order, order.program, "no pipe to be had")
            return nil
        }
        let isWritten = message.write(to: ends[1])
        _ = close(ends[1])
        guard isWritten else {
            _ = close(ends[0])
            refuse(order, order.user, "the user's name or password has a line feed in it")
            return nil
        }
        var program = HookProgram(path: order.program, seconds: order.seconds)
        if let problem = program.launch(environment: Self.environment(order, user), input: ends[0], log) {
            var line = TextLine("cannot be started: ")
            line.append(foreign: problem)
            refuse(order, order.program, line)
            return nil
        }
        return program
    }

    /// The first step of the path that somebody else than root could change.
    // SAFETY: the structure is filled by the call before it is read.
    private static func distrust(_ path: [UInt8]) -> ([UInt8], ProgramTrust.Problem)? {
        let steps = ProgramTrust.steps(of: path)
        for (index, step) in steps.enumerated() {
            var found: ProgramTrust.Step?
            step.withCString { name in
                var status = stat()
                guard lstat(name, &status) == 0 else { return }
                let kind = status.st_mode & mode_t(S_IFMT)
                found = ProgramTrust.Step(
                    owner: status.st_uid, isDirectory: kind == mode_t(S_IFDIR), isFile: kind == mode_t(S_IFREG),
                    othersMayWrite: status.st_mode & 0o022 != 0, mayRun: status.st_mode & 0o111 != 0)
            }
            let isLast = index == steps.count - 1
            if let problem = ProgramTrust.problem(with: found, isLast: isLast, own: geteuid()) {
                return (step, problem)
            }
        }
        return nil
    }

    /// What describes the session, and who the user is; the latter is not the PAM environment's to say.
    private static func environment(_ order: HookOrder, _ user: HookUser) -> [[UInt8]] {
        var environment = order.environment
        environment.append(TextLine("PATH=/usr/local/bin:/usr/bin:/bin").bytes)
        environment.append(TextLine("HOME=").bytes + user.home)
        environment.append(TextLine("SHELL=").bytes + user.shell)
        environment.append(TextLine("USER=").bytes + user.name)
        environment.append(TextLine("LOGNAME=").bytes + user.name)
        return environment
    }

    private static func value(of name: StaticString, in environment: [[UInt8]]) -> [UInt8]? {
        let start = TextLine(name).bytes
        for variable in environment where variable.starts(with: start) {
            return [UInt8](variable.dropFirst(start.count))
        }
        return nil
    }

    private func refuse(_ order: HookOrder, _ what: [UInt8], _ reason: StaticString) {
        refuse(order, what, TextLine(reason))
    }

    private func refuse(_ order: HookOrder, _ what: [UInt8], _ reason: TextLine) {
        var line = TextLine("the hook ")
        line.append(foreign: order.program)
        line.append(" was not run: ")
        line.append(foreign: what)
        line.append(": ")
        line.append(foreign: reason.bytes)
        log.say(line)
    }
}
