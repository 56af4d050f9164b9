import NamesEmbedded
import PAMProtocolEmbedded
import CPAM
import PAMLogicEmbedded
import WireEmbedded

/// open_session on a line with `console`: makes session-hook start boxagent-session for a session on a text console. It
/// does not wait, and no outcome fails a login.
///
/// The PAM environment is neither read nor passed on, because users (pam_env) and greeters can write to it.
struct ConsoleStart {
    let handle: PAMHandle
    let arguments: ModuleArguments

    func run() {
        guard let program = arguments.consolePath else { return }
        guard case .text(let terminal) = handle.item(PAM_TTY, limit: PAMLimits.terminalBytes),
            ConsoleName.isConsole(terminal)
        else { return debug("no helper: not a session on a text console") }
        guard case .text(let user) = handle.item(PAM_USER, limit: UserName.byteLimit), !user.isEmpty else {
            return refuse("the program does not name the user")
        }
        guard RootSideStarter.isInstalled(arguments.helperPath) else {
            return refuse("session-hook is not at the path of helper=")
        }
        guard let message = LockedBuffer(count: HookOrder.messageBytes) else {
            return refuse("this program cannot lock memory; raise its limit, ulimit -l")
        }
        let order = ConsoleOrder(
            program: program, user: user, opener: UInt64(truncatingIfNeeded: max(0, getpid())))
        guard RootSideStarter.start(arguments.helperPath, message, Self.encode(order, into: message)) else {
            return refuse("this program cannot get a pipe or process")
        }
        debug("the session's helper was started")
    }

    // SAFETY: the buffer outlives the call.
    private static func encode(_ order: ConsoleOrder, into message: borrowing LockedBuffer) -> Int {
        do throws(WireError) {
            var output = message.bytes.mutableBytes
            return try order.encode(into: &output)
        } catch {
            return 0
        }
    }

    private func debug(_ text: StaticString) {
        if arguments.debug { handle.log(LOG_DEBUG, TextLine(text)) }
    }

    private func refuse(_ reason: StaticString) {
        var line = TextLine("this console will not be locked: its helper was not started: ")
        line.append(reason)
        handle.log(LOG_WARNING, line)
    }
}
