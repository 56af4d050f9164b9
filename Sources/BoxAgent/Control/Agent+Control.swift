import AgentCore
import AgentProtocol
import PhoneMessages
import Sessions
import TextOutput
import Vault
import VaultPort

/// Requests of the control socket that are answered at once.
extension Agent {
    func answer(_ request: ControlRequest, from caller: Caller) async -> [ControlReply] {
        do throws(VaultError) {
            switch request {
            case .status: return [.status(try await status(for: caller)), .done(text: [])]
            case .identity:
                return [
                    .identity(boxID: keys.boxID, authorityKeyID: keys.authorityKeyID, serial: keys.serial),
                    .done(text: []),
                ]
            case .revoke(let device):
                return await revoke(try await vault.devices(matching: device), named: device, for: caller)
            case .revokeUser(let user):
                let devices = try await vault.devices().filter { $0.user == user && $0.state == .active }
                return await revoke(devices, all: true, named: user, for: caller)
            case .devices: return try await deviceListing()
            case .audit(let after, let limit):
                let entries = try await vault.auditEntries(after: after, limit: min(limit, 1_000))
                return entries.map { .auditEntry(AuditListing($0)) } + [.done(text: [])]
            case .verifyAudit: return [try await verifyAudit()]
            case .auditSegments(let after, let sealing): return try await auditSegments(after: after, sealing: sealing)
            case .pruneAudit(let number): return try await pruneAudit(through: number, for: caller)
            case .wipe(let selection): return try await wipe(selection, for: caller)
            case .doctor: return await Doctor(agent: self).findings().map { .finding($0) } + [.done(text: [])]
            case .explainPresence: return await presenceListing(for: caller) + [.done(text: [])]
            case .sessions: return await sessionListings(for: caller)
            case .session(let action, let selection): return await perform(action, selection, for: caller)
            case .enrol, .confirmEnrolment, .testLogin, .sessionHelper, .lockRefused, .greet, .claimTap:
                return [Refusals.oneAtATime]
            }
        } catch {
            return [Refusals.failure(.fault, "\(error)", "run 'boxagent doctor'")]
        }
    }

    private func status(for caller: Caller) async throws(VaultError) -> AgentStatus {
        var status = AgentStatus()
        status.boxID = keys.boxID
        status.radio = Array(configuration.radio.name.utf8)
        status.radioState = Array(radioState.description.utf8)
        status.uptimeSeconds = UInt64(max(0, (loop.now() - startedAt).components.seconds))
        status.devicesActive = UInt64(try await vault.activeDeviceCount())
        if await mayGreet(caller) { status.activity = activity() }
        status.sessionsOwned = UInt64(sessions.count)
        status.enrolmentOpen = desk.isOpen
        status.failuresUnauthenticated = failuresUnauthenticated
        return status
    }

    private func activity() -> AgentActivity {
        var activity = AgentActivity()
        activity.linksOpen = UInt64(channels.count)
        activity.channelsAuthenticated = UInt64(admission.authenticatedCount)
        activity.programsWaiting = UInt64(rendezvous.waitingPrograms)
        activity.tapHeld = rendezvous.holdsCredential
        return activity
    }

    private func deviceListing() async throws(VaultError) -> [ControlReply] {
        var replies: [ControlReply] = []
        for record in try await vault.devices() {
            let credential = try await vault.credentialState(record.id)
            let connected = !admission.channels(of: record.id.bytes).isEmpty
            replies.append(.device(DeviceListing(record, credential, connected: connected)))
        }
        return replies + [.done(text: [])]
    }

    private func wipe(_ selection: WipeSelection, for caller: Caller) async throws(VaultError) -> [ControlReply] {
        let chosen: [DeviceRecord]
        switch selection {
        case .device(let name): chosen = try await vault.devices(matching: name)
        case .user(let user): chosen = try await vault.devices().filter { $0.user == user }
        case .all: chosen = try await vault.devices()
        }
        if case .device(let name) = selection, chosen.count != 1 {
            return [
                Refusals.failure(
                    .notFound, "'\(LogText.text(name))' names \(chosen.count) devices, not one",
                    "see 'boxagent devices' for the names")
            ]
        }
        var wiped = 0
        let actor = await actor(of: caller)
        let kept = try await vault.setAside()
        for record in chosen where try await vault.wipe(record.id, by: actor, reason: "by the administrator") {
            wiped += 1
            await tellState(record.id)
        }
        if selection == .all { try await vault.destroySetAside() }
        var text = "\(Plural.text(wiped, "stored credential")) destroyed"
        if !kept.isEmpty, try await vault.setAside().isEmpty { text += ", and what was kept of damaged databases" }
        return [.done(text: Array(text.utf8))]
    }
}
