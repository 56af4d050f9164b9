import AgentCore
import ControlProtocol
import TextOutput
import Vault
import VaultPort

/// Answers requests that need no decision: it reads, and writes at most audit segments and users' names and numbers.
/// For revocations and wipes, it looks up the named devices, and the machine decides.
struct CommandReader {
    /// Maximum number of entries in one answer.
    private static let entryLimit: UInt64 = 1_000
    /// Maximum number of segments in one answer.
    private static let segmentLimit = 100

    let agent: Agent
    let caller: Caller

    private var vault: BoxVault { agent.vault }

    func answer(_ request: ControlRequest) async -> CommandAnswer {
        do throws(VaultError) {
            switch request {
            case .revoke(let device):
                return .event(.revokes(try await vault.devices(matching: device), all: false, named: device, caller))
            case .revokeUser(let user):
                let devices = try await vault.devices().filter { $0.user == user && $0.state == .active }
                return .event(.revokes(devices, all: true, named: user, caller))
            case .revokeWeb:
                let devices = try await vault.devices().filter { $0.isWeb && $0.state == .active }
                return .event(.revokes(devices, all: true, named: Array("--web".utf8), caller))
            case .wipe(let selection): return .event(.wipes(try await devices(selection), selection, caller))
            default: return .replies(try await read(request))
            }
        } catch {
            return .replies([Refusals.failure(.fault, "\(error)", "run 'boxagent doctor'")])
        }
    }

    private func read(_ request: ControlRequest) async throws(VaultError) -> [ControlReply] {
        let done = ControlReply.done(text: "")
        switch request {
        case .status: return [.status(try await status()), done]
        case .identity:
            let keys = agent.parts.keys
            return [
                .identity(
                    boxID: String(decoding: keys.boxID, as: UTF8.self), authorityKeyID: keys.authorityKeyID,
                    serial: keys.serial), done,
            ]
        case .site:
            guard let site = await agent.site else { return [await agent.siteRefusal] }
            return [.site(site), done]
        case .devices: return try await deviceListing() + [done]
        case .account(let user, let renaming):
            if renaming { await agent.settleUsers() }
            let account = await agent.account(of: user)
            return [.account(user: account.name(of: user), isAnswered: account != .failed), done]
        case .samePerson(let user): return [try await confirm(user)]
        case .audit(let after, let limit):
            let entries = try await vault.auditEntries(after: after, limit: min(limit, Self.entryLimit))
            return entries.map { .auditEntry(AuditListing($0)) } + [done]
        case .verifyAudit: return [try await verifyAudit()]
        case .auditSegments(let after, let sealing): return try await auditSegments(after: after, sealing: sealing)
        case .pruneAudit(let number): return try await pruneAudit(through: number)
        case .doctor: return await Doctor(agent: agent).findings().map { .finding($0) } + [done]
        case .explainPresence:
            let own = caller.isAdministrator ? nil : await agent.parts.accounts.name(of: caller.uid) ?? []
            return await agent.presenceListings(ofUser: own).map { .presence($0) } + [done]
        default: return [Refusals.oneAtATime]
        }
    }

    private func status() async throws(VaultError) -> AgentStatus {
        let count = try await vault.activeDeviceCount()
        let name = caller.isAdministrator ? nil : await agent.parts.accounts.name(of: caller.uid)
        let mayGreet = ControlPolicy.allowsGreeter(named: name, caller, await agent.configuration.login)
        var status = await agent.status(activity: mayGreet)
        status.devicesActive = UInt64(count)
        return status
    }

    private func devices(_ selection: WipeSelection) async throws(VaultError) -> [DeviceRecord] {
        switch selection {
        case .device(let name): try await vault.devices(matching: name)
        case .user(let user): try await vault.devices().filter { $0.user == user }
        case .all: try await vault.devices()
        }
    }

    private func deviceListing() async throws(VaultError) -> [ControlReply] {
        var replies: [ControlReply] = []
        for record in try await vault.devices() {
            let credential = try await vault.credentialState(record.id)
            let connected = await agent.isConnected(record.id)
            replies.append(
                .device(DeviceListing(record, credential, try await vault.numbers(of: record.id), connected: connected))
            )
        }
        return replies
    }

    /// Accepts the refused phones of a user whose account has another number now.
    private func confirm(_ user: [UInt8]) async throws(VaultError) -> ControlReply {
        let name = LogText.text(user)
        let account = await agent.parts.accounts.look(up: user)
        guard case .found(let uid, _) = account else {
            return Refusals.failure(
                .fault, "the user database has no answer for '\(name)'", "check 'getent passwd' and try again")
        }
        let actor = await agent.actor(of: caller)
        var count = 0
        for spelling in Set([user, account.name(of: user)]) {
            count += try await vault.confirm(spelling, uid: uid, by: actor)
        }
        guard count > 0 else {
            return Refusals.failure(
                .notFound, "the account's number blocks no phone of '\(name)'",
                "list the phones with: boxagent devices")
        }
        try await agent.settle(user)
        return .done(text: "\(Plural.text(count, "phone")) of \(name) accepted again")
    }

    // MARK: - The audit log

    private func auditSegments(after: UInt64, sealing: Bool) async throws(VaultError) -> [ControlReply] {
        if sealing { try await vault.sealAudit() }
        let signer = try await vault.auditSigner()
        let segments = try await vault.auditSegments(after: after, limit: Self.segmentLimit)
        return segments.map { .auditSegment(AuditSegmentListing($0)) } + [
            .auditSigner(authority: signer.authority, box: signer.box), .done(text: ""),
        ]
    }

    private func pruneAudit(through number: UInt64) async throws(VaultError) -> [ControlReply] {
        let count = try await vault.pruneAudit(through: number, by: await agent.actor(of: caller))
        let entries = Plural.text(count, "entry", "entries")
        agent.log.notice("\(entries) of the audit log dropped")
        return [.done(text: "\(entries) dropped")]
    }

    private func verifyAudit() async throws(VaultError) -> ControlReply {
        switch try await vault.verifyAudit() {
        case .intact(let count, 1):
            return .done(text: "the audit log is intact: \(Plural.text(count, "entry", "entries"))")
        case .intact(let count, let first):
            let entries = Plural.text(count, "entry", "entries")
            let text = "the audit log is intact: \(entries) from number \(first) on; earlier entries were dropped"
            return .done(text: text)
        case .broken(let number):
            return Refusals.failure(
                .fault, "the audit log was changed at or before entry \(number)",
                "compare it with the hashes in the journal: journalctl -u boxagentd")
        }
    }
}
