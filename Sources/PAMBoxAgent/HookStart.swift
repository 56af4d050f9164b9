import NamesEmbedded
import PAMProtocolEmbedded
import CPAM
import PAMLogicEmbedded
import WireEmbedded

/// open_session on a line with `hook=`: passes the kept credential to session-hook, which continues as a separate
/// process. It does not wait, and no outcome fails a login.
struct HookStart {
    let handle: PAMHandle
    let arguments: ModuleArguments

    /// Runs once for each credential, which is wiped afterwards in every case.
    func run() {
        guard let program = arguments.hookPath else { return }
        var isKept = false
        KeptCredential.withKept(handle) { kept in
            isKept = true
            start(program, kept)
        }
        if isKept {
            KeptCredential.wipe(handle)
        } else if arguments.debug {
            handle.log(LOG_DEBUG, TextLine("no hook: no line with `keep` took a tap in this login"))
        }
    }

    private func start(_ program: [UInt8], _ kept: borrowing KeptCredential) {
        guard kept.isVerified else {
            return refuse("the password is not known to be right; add the line `verdict`, pam_boxagent(8)")
        }
        let user = kept.user
        guard case .text(let sessionUser) = handle.item(PAM_USER, limit: UserName.byteLimit), sessionUser == user
        else { return refuse("session and credential have different users") }
        guard RootSideStarter.isInstalled(arguments.helperPath) else {
            return refuse("session-hook is not at the path of helper=")
        }
        guard let message = LockedBuffer(count: HookOrder.messageBytes) else {
            return refuse("this program cannot lock memory; raise its limit, ulimit -l")
        }
        let order = HookOrder(
            program: program, user: user, seconds: arguments.hookSeconds, environment: environment())
        let count = Self.encode(order, kept.authtok, into: message)
        guard count > 0 else { return refuse("its data does not fit into one message") }
        guard RootSideStarter.start(arguments.helperPath, message, count) else {
            return refuse("this program cannot get a pipe or process")
        }
        if arguments.debug { handle.log(LOG_DEBUG, TextLine("the session hook was started")) }
    }

    // SAFETY: both buffers outlive the call.
    private static func encode(
        _ order: HookOrder, _ authtok: UnsafeRawBufferPointer, into message: borrowing LockedBuffer
    ) -> Int {
        do throws(WireError) {
            var output = message.bytes.mutableBytes
            return try order.encode(authtok: authtok.bytes, into: &output)
        } catch {
            return 0
        }
    }

    private func environment() -> [[UInt8]] {
        var environment = HookEnvironment()
        for (name, kind) in [("PAM_SERVICE", PAM_SERVICE), ("PAM_TTY", PAM_TTY)] as [(StaticString, Int32)] {
            if case .text(let value) = handle.item(kind, limit: PAMLimits.terminalBytes), !value.isEmpty {
                environment.add(name, value)
            }
        }
        handle.eachVariable(limit: HookOrder.variablesBytes) { environment.add($0) }
        if environment.isCut {
            handle.log(
                LOG_WARNING, TextLine("the session hook gets only part of the PAM environment: it is too large"))
        }
        return environment.variables
    }

    private func refuse(_ reason: StaticString) {
        var line = TextLine("the session hook was not started: ")
        line.append(reason)
        handle.log(LOG_WARNING, line)
    }
}
