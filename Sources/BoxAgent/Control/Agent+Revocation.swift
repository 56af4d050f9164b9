import AgentCore
import AgentProtocol
import PhoneMessages
import TextOutput
import Vault
import VaultPort

/// Revocation, in the order that makes it count: deaf, written down, told.
extension Agent {
    /// `all` where several devices may be meant.
    func revoke(
        _ devices: [DeviceRecord], all: Bool = false, named name: [UInt8], for caller: Caller
    ) async -> [ControlReply] {
        let active = devices.filter { $0.state != .revoked }
        guard !active.isEmpty else {
            return [
                Refusals.failure(
                    .notFound, "no enrolled device is called '\(LogText.text(name))'",
                    "see 'boxagent devices' for the names")
            ]
        }
        guard all || active.count == 1 else {
            return [
                Refusals.failure(
                    .invalid, "\(active.count) devices begin with '\(LogText.text(name))'",
                    "give more of the id, as 'boxagent devices' shows it")
            ]
        }
        let silenced = bar(active.map(\.id))
        do {
            let revocation = try await vault.revoke(active.map(\.id), by: await actor(of: caller))
            if let problem = revocation.unfinished {
                log.warning("keys are destroyed, their rows go at the next start: \(problem)")
            }
        } catch {
            // Not told `revoked`: the phone would destroy its keys, and the next agent would take it for enrolled.
            await end(silenced, .vaultUnavailable)
            log.error("a revocation could not be written down: \(error)")
            return [
                Refusals.failure(
                    .fault, "refused until boxagentd ends, but not written down: \(error)",
                    "mend what is wrong (see 'boxagent doctor') and revoke again before boxagentd is restarted")
            ]
        }
        await end(silenced, .revoked, lastWords: .revoked)
        for record in active { log.notice("device \(record.id) of \(LogText.text(record.user)) revoked") }
        rearm()
        return [.done(text: Array("\(Plural.text(active.count, "device")) revoked".utf8))]
    }

    /// From here on nothing that the devices have sent or send has an effect. Their channels, which hear nothing yet.
    private func bar(_ devices: [DeviceID]) -> [ChannelID] {
        barred.formUnion(devices)
        let silenced = devices.flatMap { admission.channels(of: $0.bytes) }
        for id in silenced { channels[id]?.mute() }
        for device in devices { perform(rendezvous.handle(.deviceRevoked(device), now: loop.now())) }
        return silenced
    }

    private func end(_ silenced: [ChannelID], _ reason: ChannelEnd, lastWords: BoxMessage? = nil) async {
        for id in silenced { channels[id]?.end(reason, lastWords: lastWords) }
        for id in silenced { await forget(id) }
    }
}
