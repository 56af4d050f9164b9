import AgentCore
import AuditLog
import EventLoop
import Vault
import VaultPort

extension Agent {
    /// How long a name is looked up for the log.
    private static let nameLimit: Duration = .milliseconds(500)

    /// Writes to the audit log. Its head goes to the journal: that is what makes tampering evident
    /// (docs/decisions/022-audit-log.md).
    func audit(
        _ kind: AuditEvent.Kind, user: [UInt8]? = nil, device: DeviceID? = nil, by actor: AuditActor,
        detail: String = ""
    ) async {
        do {
            try await vault.append(
                AuditEvent(kind: kind, user: user, device: device, actor: actor, detail: Array(detail.utf8)))
        } catch {
            log.error("the audit log could not be written: \(error)")
        }
    }

    /// Does something in the vault whose failure changes nothing for the person, and logs it.
    @discardableResult
    func store(_ what: String, _ act: (BoxVault) async throws(VaultError) -> Void) async -> Bool {
        do {
            try await act(vault)
            return true
        } catch {
            log.error("\(what) could not be stored: \(error)")
            return false
        }
    }

    /// Reads something from the vault; `unknown` where it cannot be read, which is logged.
    func read<Value: Sendable>(
        _ what: String, unknown: Value, _ act: (BoxVault) async throws(VaultError) -> Value
    ) async -> Value {
        do {
            return try await act(vault)
        } catch {
            log.error("\(what) could not be read: \(error); run 'boxagent doctor'")
            return unknown
        }
    }

    /// Somebody at the command `boxagent`: the uid is the kernel's word, the name that of whoever logged in, which sudo
    /// does not change.
    func actor(of caller: Caller) async -> AuditActor {
        let lookup = number()
        loginLookups[lookup] = .some(nil)
        let looking = loop.spawn { await self.lookUpLogin(of: caller, lookup) }
        // A bus or a directory that hangs delays no revocation: the uid is known.
        _ = await loop.waitForAny(of: [looking], until: loop.now() + Self.nameLimit)
        return .person(uid: caller.uid, login: loginLookups.removeValue(forKey: lookup) ?? nil)
    }

    private func lookUpLogin(of caller: Caller, _ lookup: UInt64) async {
        let name: [UInt8]?
        if let login = LoginUID.read(process: caller.pid) {
            name = await accounts.name(of: login)
        } else if let session = await logind.ownSession(ofProcess: caller.pid) {
            // Under systemd's ProtectProc= others' processes cannot be seen: logind knows whose session the command is
            // in.
            name = Array(session.user.utf8)
        } else {
            name = await accounts.name(of: caller.uid)
        }
        if loginLookups[lookup] != nil { loginLookups[lookup] = .some(name) }
    }
}
