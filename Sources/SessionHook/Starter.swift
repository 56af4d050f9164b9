import CSessionHook
import PAMLogicEmbedded

/// What the PAM module starts, as root: reads one order, becomes the user, and runs the program of the order. All that comes
/// before that looks at nothing which the user could have put there.
struct Starter {
    let log: HookLog
    /// Where /proc is.
    let proc: [UInt8]

    /// The exit status, which nobody waits for.
    func run() -> Int32 {
        guard chook_prepare() == 0 else {
            log.say(TextLine("cannot protect this process; nothing was run"))
            return 1
        }
        guard let program = start() else { return 1 }
        program.watch(log)
        return 0
    }

    /// When this returns, the message has been wiped.
    private func start() -> HookProgram? {
        guard let message = OrderMessage() else {
            log.say(TextLine("no order of pam_boxagent.so on standard input, or no memory to lock"))
            return nil
        }
        _ = close(0)
        switch message.order {
        case .hook(let order, let authtok): return Hook(log: log, proc: proc).start(order, authtok, message)
        case .console(let order):
            ConsoleHelper(log: log, proc: proc).run(order)
            return nil
        }
    }
}
