import PAMProtocolEmbedded
import CSessionHook
import PAMLogicEmbedded

/// The hook of one session. Checks the program, changes to the user and starts the program.
struct Hook {
    let log: HookLog
    /// The path of /proc.
    let proc: [UInt8]

    /// Starts the program and returns it. The credential is then in the program's pipe, and still in `message`.
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
        let scope = SessionScope.ofThisProcess(proc).flatMap { $0.user == user.user ? $0 : nil }
        if scope == nil, order.environment.contains(where: Self.namesSession) {
            log.say(
                TextLine(
                    "the hook runs outside the session's scope and may go on after the session; its line with hook= belongs after pam_systemd.so"
                ))
        }
        return launch(order, authtok, message, user, Self.environment(order, user, scope))
    }

    private func launch(
        _ order: HookOrder, _ authtok: Range<Int>, _ message: borrowing OrderMessage, _ user: HookUser,
        _ environment: [[UInt8]]
    ) -> HookProgram? {
        var ends: [Int32] = [-1, -1]
        // SAFETY: the array belongs to this call.
        guard ends.withUnsafeMutableBufferPointer({ chook_pipe($0.baseAddress) == 0 }) else {
            refuse(order, order.program, "no pipe is available")
            return nil
        }
        let isWritten = message.write(order, authtok, to: ends[1])
        _ = close(ends[1])
        guard isWritten else {
            _ = close(ends[0])
            refuse(order, order.user, "the user's name or password has a line feed")
            return nil
        }
        var program = HookProgram(path: order.program, seconds: order.seconds)
        if let problem = program.launch(environment: environment, input: ends[0], log) {
            var line = TextLine("cannot be started: ")
            line.append(foreign: problem)
            refuse(order, order.program, line)
            return nil
        }
        return program
    }

    /// Returns variables for session and user. The user never comes from the PAM environment. The session comes from
    /// there only if the kernel does not show it.
    private static func environment(_ order: HookOrder, _ user: HookUser, _ scope: SessionScope?) -> [[UInt8]] {
        guard let scope else { return order.environment + user.environment }
        return order.environment.filter { !namesSession($0) } + [TextLine(sessionVariable).bytes + scope.session]
            + user.environment
    }

    private static let sessionVariable: StaticString = "XDG_SESSION_ID="

    private static func namesSession(_ variable: [UInt8]) -> Bool {
        variable.starts(with: TextLine(sessionVariable).bytes)
    }

    private func refuse(_ order: HookOrder, _ what: [UInt8], _ reason: StaticString) {
        refuse(order, what, TextLine(reason))
    }

    private func refuse(_ order: HookOrder, _ what: [UInt8], _ reason: TextLine) {
        log.refuse("the hook ", order.program, what, reason)
    }
}
