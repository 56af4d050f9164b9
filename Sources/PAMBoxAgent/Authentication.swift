import NamesEmbedded
import PAMProtocolEmbedded
import CPAM
import PAMLogicEmbedded
import WireEmbedded

/// One pam_authenticate: asks the agent, waits, and sets PAM_AUTHTOK to the credential.
///
/// It never returns PAM_SUCCESS, because this module checks no password. After a delivery it returns PAM_IGNORE, so
/// that only the next modules decide. Without a delivery it returns PAM_AUTHINFO_UNAVAIL. A configuration line with
/// `verdict` or `refused` always returns PAM_IGNORE.
struct Authentication {
    let handle: PAMHandle
    let arguments: ModuleArguments
    let isSilent: Bool

    func run() -> Int32 {
        if arguments.verdict {
            judge()
            TypedPassword.note(handle)
            return PAM_IGNORE
        }
        if arguments.refused {
            forget()
            return PAM_IGNORE
        }
        // libpam clears PAM_AUTHTOK between two calls of pam_authenticate. If PAM_AUTHTOK still has the delivered
        // credential, or an accepted one, this call is from a second line with this module, not a second attempt.
        if hasDelivered || (handle.hasAuthtok && isVerdictTold) { return PAM_IGNORE }
        // This is a new attempt, so the results of an earlier one no longer apply.
        forget()
        TypedPassword.forget(handle)
        guard !handle.hasAuthtok else {
            debug("an earlier module already has a password")
            return PAM_AUTHINFO_UNAVAIL
        }
        return ask() ? PAM_IGNORE : PAM_AUTHINFO_UNAVAIL
    }

    /// True if PAM_AUTHTOK is the credential that was delivered on this handle.
    private var hasDelivered: Bool {
        var isEqual = false
        KeptCredential.withKept(handle) { isEqual = handle.authtokEquals($0.authtok) }
        return isEqual
    }

    private var isVerdictTold: Bool {
        var isTold = false
        DeliveryRecord.withLive(handle) { isTold = $0.isVerdictTold }
        return isTold
    }

    /// Handles the line `verdict` after the password modules. If PAM_AUTHTOK is not the delivered credential, the login
    /// succeeded without that credential. The line may appear twice in a stack.
    private func judge() {
        guard hasDelivered else {
            if !isVerdictTold { forget() }
            return
        }
        KeptCredential.withKept(handle) { $0.isVerified = true }
        KeptCredential.authenticationIsOver(handle)
        DeliveryRecord.withLive(handle) { $0.tellVerdict() }
    }

    /// Reports that the credential was not accepted, if the agent still waits for the verdict. Wipes the credential.
    private func forget() {
        DeliveryRecord.withLive(handle) { $0.concludeRefused() }
        KeptCredential.wipe(handle)
    }

    /// Asks the agent. Returns true if the handle now has a credential.
    private func ask() -> Bool {
        let began = MonotonicClock.now()
        guard let request = request() else { return false }
        guard let buffer = LockedBuffer(count: PAMLimits.messageBytes &+ 1) else {
            handle.log(LOG_WARNING, TextLine("this program cannot lock memory; raise its limit, ulimit -l"))
            return false
        }
        let connection: AgentConnection
        do throws(ConnectionProblem) {
            connection = try AgentConnection.open(
                socketPath: arguments.socketPath, deadline: began + LoginWait.firstAnswer)
        } catch {
            handle.log(error == .stranger ? LOG_ERR : LOG_WARNING, error.line)
            return false
        }
        guard connection.send(.authenticate(request)) else {
            // The agent has already closed the connection: otherwise, a new connection accepts one message.
            handle.log(LOG_WARNING, LoginWaitEnd.closed.line)
            return false
        }
        let wait = LoginWait(startedAt: began, waitSeconds: arguments.waitSeconds)
        switch reply(wait, connection, buffer) {
        case .deliver(let user, let authtok):
            return Delivery(handle: handle, givenUser: request.user, keep: arguments.keep)
                .take(user: user, authtok: authtok, from: buffer, over: connection)
        case .giveUp(let end):
            if end.isFault || arguments.debug { handle.log(end.isFault ? LOG_WARNING : LOG_DEBUG, end.line) }
            return false
        case .keepWaiting, .prompt:
            return false
        }
    }

    /// Returns `.deliver` or `.giveUp`.
    private func reply(
        _ start: LoginWait, _ connection: borrowing AgentConnection, _ buffer: borrowing LockedBuffer
    ) -> LoginWait.Action {
        var wait = start
        while true {
            let event: LoginWait.Event
            switch connection.receive(into: buffer, deadline: wait.deadline) {
            case .message(let count): event = Self.decode(buffer, count)
            case .tooLarge: event = .garbled
            case .closed: event = .closed
            case .nothingYet: event = .timer
            }
            let action = wait.handle(event, now: MonotonicClock.now())
            switch action {
            case .keepWaiting: continue
            case .prompt(let boxID, let isAsking):
                // sudo makes modules silent by default (sudoers(5), pam_silent). But a user who is asked on the phone
                // must learn why nothing happens here, and that the request is their own.
                if arguments.prompt, isAsking || !isSilent {
                    handle.show(
                        PromptText.line(boxID: boxID, isAsking: isAsking, waitSeconds: arguments.waitSeconds))
                }
            case .deliver, .giveUp: return action
            }
        }
    }

    private static func decode(_ buffer: borrowing LockedBuffer, _ count: Int) -> LoginWait.Event {
        // SAFETY: `count` bytes were received into the buffer, which outlives the span.
        let message = UnsafeRawBufferPointer(rebasing: buffer.bytes.prefix(max(0, count)))
        do throws(WireError) {
            return .reply(try PAMReply.decode(message.bytes))
        } catch {
            return .garbled
        }
    }

    /// Returns nil if the agent must not be asked. The reason is logged.
    private func request() -> PAMAuthentication? {
        guard let remoteHost = text(PAM_RHOST, limit: PAMLimits.remoteHostBytes),
            let service = text(PAM_SERVICE, limit: PAMLimits.serviceBytes), let service, !service.isEmpty,
            let user = text(PAM_USER, limit: UserName.byteLimit),
            let terminal = text(PAM_TTY, limit: PAMLimits.terminalBytes)
        else {
            handle.log(LOG_WARNING, TextLine("the program gave no service name, or an item that is too long"))
            return nil
        }
        guard remoteHost?.isEmpty ?? true else {
            debug("not asked: the caller comes over a network")
            return nil
        }
        // Some programs pass an empty name if they do not know the user yet.
        let known = user.flatMap { $0.isEmpty ? nil : $0 }
        return PAMAuthentication(
            service: service, user: known, terminal: terminal, remoteHost: remoteHost,
            waitSeconds: arguments.waitSeconds)
    }

    /// Returns `.some(nil)` if the item is not set, and nil if it is too long.
    private func text(_ kind: Int32, limit: Int) -> [UInt8]?? {
        switch handle.item(kind, limit: limit) {
        case .absent: .some(nil)
        case .text(let bytes): .some(bytes)
        case .tooLong: nil
        }
    }

    private func debug(_ text: StaticString) {
        if arguments.debug { handle.log(LOG_DEBUG, TextLine(text)) }
    }
}
