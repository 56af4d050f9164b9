import AgentProtocolEmbedded
import CSessionHook
import PAMLogicEmbedded

/// One session's hook: checks, the user's rights, the program.
struct Hook {
    let log: HookLog
    /// Where /proc is.
    let proc: [UInt8]

    /// The program that runs then. When this returns, the credential is in its pipe, and in the message.
    func start(_ order: HookOrder, _ authtok: Range<Int>, _ message: borrowing OrderMessage) -> HookProgram? {
        if let (step, problem) = ProgramTrust.distrust(order.program) {
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
        var isHome = false
        user.home.withCString { isHome = chdir($0) == 0 }
        if !isHome { _ = chdir("/") }
        if let session = Self.value(of: "XDG_SESSION_ID=", in: order.environment),
            SessionScope.ofThisProcess(proc)?.session != session
        {
            log.say(
                TextLine(
                    "it runs outside its session's scope and may outlive it; the line with hook= belongs behind pam_systemd.so"
                ))
        }
        return launch(order, authtok, message, user)
    }

    private func launch(
        _ order: HookOrder, _ authtok: Range<Int>, _ message: borrowing OrderMessage, _ user: HookUser
    ) -> HookProgram? {
        var ends: [Int32] = [-1, -1]
        // SAFETY: the array is the call's own.
        guard ends.withUnsafeMutableBufferPointer({ chook_pipe($0.baseAddress) == 0 }) else {
            refuse(order, order.program, "no pipe to be had")
            return nil
        }
        let isWritten = message.write(order, authtok, to: ends[1])
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

    /// What describes the session, and who the user is; the latter is not the PAM environment's to say.
    private static func environment(_ order: HookOrder, _ user: HookUser) -> [[UInt8]] {
        order.environment + user.environment
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
        log.refuse("the hook ", order.program, what, reason)
    }
}
