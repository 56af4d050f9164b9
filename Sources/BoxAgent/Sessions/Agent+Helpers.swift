import AgentCore
import AgentProtocol
import Sessions
import TextOutput

/// The helpers in sessions (boxagent-session): who answers Lock, and who can be told something.
extension Agent {
    /// Why the caller may not help in the session; nil when it helps from now on.
    func helperCame(_ session: [UInt8], _ helper: ControlConnection, _ caller: Caller) async -> ControlReply? {
        guard let id = String(validating: session, as: UTF8.self), let found = await logind.session(id) else {
            return Refusals.noSession
        }
        guard caller.isAdministrator || found.userID == caller.uid else { return Refusals.othersSession }
        // A helper that was started again takes its place.
        helpers[session]?.isReplaced()
        helpers[session] = helper
        await logind.setHelped(id, true)
        return nil
    }

    func helperLeft(_ session: [UInt8], _ helper: ControlConnection) async {
        guard helpers[session] === helper else { return }
        helpers[session] = nil
        if let id = String(validating: session, as: UTF8.self) { await logind.setHelped(id, false) }
    }

    /// Whoever waits for the lock is told at once, and not after the time that a locker may take.
    func helperRefused(_ session: [UInt8], _ helper: ControlConnection, _ reason: [UInt8]) async {
        guard helpers[session] === helper, let id = String(validating: session, as: UTF8.self) else { return }
        await logind.refuseLock(id, reason: LogText.text(reason))
    }

    /// Something for the person in the session to read, where a helper can show it; empty takes it back.
    func notify(_ session: [UInt8], _ text: String) {
        helpers[session]?.tell(.notice(text: Array(text.utf8)))
    }
}
