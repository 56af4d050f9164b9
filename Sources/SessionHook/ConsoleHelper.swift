import PAMProtocolEmbedded
import CSessionHook
import PAMLogicEmbedded

/// Starts the helper of a new text console session (boxagent-session(1)): this process changes to the user, then is
/// replaced by that program.
struct ConsoleHelper {
    let log: HookLog
    let proc: [UInt8]

    /// Returns only if the helper is not started. Consoles of root have no helper.
    func run(_ order: ConsoleOrder) {
        if let (step, problem) = ProgramTrust.distrust(order.program) {
            return refuse(order, step, problem.text)
        }
        guard let user = HookUser.find(order.user) else {
            return refuse(order, order.user, HookUser.Problem.unknown.text)
        }
        guard user.user != 0 else { return }
        guard let scope = SessionScope.ofThisProcess(proc) else {
            return refuse(
                order, order.user,
                "this login is not in a session of logind; the line with `console` belongs after pam_systemd.so"
            )
        }
        // su(1) opens a PAM session inside another user's logind session.
        guard scope.user == user.user else {
            return refuse(order, order.user, "another user has the session", priority: HookLog.information)
        }
        if let problem = user.become() { return refuse(order, order.user, problem.text) }
        become(order, scope, user)
    }

    private func become(_ order: ConsoleOrder, _ scope: SessionScope, _ user: HookUser) {
        _ = chdir("/")
        var opener = TextLine("")
        opener.append(order.opener)
        let words = [
            order.program, TextLine("--session").bytes, scope.session, TextLine("--console").bytes, opener.bytes,
        ]
        let output = log.stream(priority: HookLog.warning, of: "boxagent-session") ?? -1
        let problem = CStringList.with(words) { arguments in
            CStringList.with(user.environment) { environment in
                chook_replace(arguments[0], arguments, environment, output)
            }
        }
        // SAFETY: the text is a constant of libc and is copied at once.
        guard let text = strerror(problem) else { return }
        var line = TextLine("cannot be started: ")
        line.append(foreign: [UInt8](UnsafeRawBufferPointer(start: text, count: strlen(text))))
        log.refuse(Self.name, order.program, order.program, line)
    }

    private static let name: StaticString = "the helper of a console "

    private func refuse(
        _ order: ConsoleOrder, _ what: [UInt8], _ reason: StaticString, priority: UInt64 = HookLog.warning
    ) {
        log.refuse(Self.name, order.program, what, TextLine(reason), priority: priority)
    }
}
