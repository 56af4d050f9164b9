import CSessionHook
import PAMLogicEmbedded

/// Runs as root for the PAM module: reads one order, changes to the user, and runs the program of the order. Before it
/// is the user, it reads nothing that the user could have prepared.
struct Starter {
    let log: HookLog
    /// The path of /proc.
    let proc: [UInt8]

    /// Runs the order. Returns the exit status, which no process waits for.
    func run() -> Int32 {
        guard chook_prepare() == 0 else {
            log.say(TextLine("cannot protect this process; nothing was run"))
            return 1
        }
        guard let program = start() else { return 1 }
        program.watch(log)
        return 0
    }

    /// Starts the program of the order. The message is wiped when this returns.
    private func start() -> HookProgram? {
        guard let message = OrderMessage() else {
            log.say(TextLine("standard input has no message from pam_boxagent.so, or memory cannot be locked"))
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
