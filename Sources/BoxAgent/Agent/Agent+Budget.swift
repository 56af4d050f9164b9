import AgentCore
import AuditLog
import TextOutput
import Vault
import VaultPort

/// What phones, and people at the box, may have written to the disk: all of it passes here.
extension Agent {
    /// An entry that somebody can cause again and again.
    func auditCounted(
        _ kind: AuditEvent.Kind, user: [UInt8], device: DeviceID, by actor: AuditActor,
        paidBy payer: WriteBudget.Payer? = nil, detail: String = ""
    ) async {
        guard await mayWrite(for: payer ?? .device(device), user: user) else { return }
        await audit(kind, user: user, device: device, by: actor, detail: detail)
    }

    /// Whether one more durable write may be made; what may not is counted, and the count is written down.
    func mayWrite(for payer: WriteBudget.Payer, user: [UInt8]) async -> Bool {
        switch writeBudget.spend(payer, user: user, now: loop.now()) {
        case .allowed: return true
        case .counted: return false
        case .firstOver:
            rearm()
            log.warning("\(payer.description) makes more events than are written down one by one; they are counted")
            await audit(.budgetExceeded, user: user, device: payer.device, by: payer.actor)
            return false
        }
    }

    /// Writes down what was counted, and what waits for it: when it is due, and all of it at the end.
    func settleBudget(all: Bool = false) async {
        for surplus in writeBudget.settle(now: loop.now(), all: all) {
            let seconds = surplus.over.components.seconds
            let events = Plural.text(surplus.count, "further event")
            await audit(
                .eventsCounted, user: surplus.user, device: surplus.payer.device, by: surplus.payer.actor,
                detail: "\(events) of \(surplus.payer.description) within \(seconds) s")
            if let device = surplus.payer.device { await settleDeadline(of: device) }
        }
    }
}
