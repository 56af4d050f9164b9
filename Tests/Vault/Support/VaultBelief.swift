import AuditLog
import Names
import Secrets
import VaultPort
import VaultModel

@testable import Vault

/// What a vault should hold: what the model says, and the kinds of the audit log's entries.
struct VaultBelief {
    var model = ModelVault()
    var log: [String] = []

    /// The command was begun and its try counted, and then there was a crash; nil for a command without a try.
    func spent(by command: VaultCommand) -> VaultBelief? {
        switch command {
        case .openCredential(let device, _, let half), .changePIN(let device, _, _, let half):
            after(.openCredential(device, pin: secret("none of all PINs"), deviceSecret: half), device)
        default: nil
        }
    }

    /// The PIN was right, and what follows was not done yet.
    func opened(by command: VaultCommand) -> VaultBelief? {
        guard case .changePIN(let device, let old, _, let half) = command else { return nil }
        return after(.openCredential(device, pin: old, deviceSecret: half), device)
    }

    private func after(_ attempt: VaultCommand, _ device: DeviceID) -> VaultBelief {
        var belief = self
        _ = belief.model.answer(attempt)
        // The last try: the next start finds it spent, and does what is due.
        if model.state(device) != nil, belief.model.state(device) == nil {
            belief.log.append("\(AuditEvent.Kind.credentialWiped.rawValue) \(device)")
        }
        return belief
    }

    /// Everything that can be told of it but for its secrets.
    var sight: [String] {
        var model = model
        let devices = model.devices.keys.sorted { $0.description < $1.description }
        return devices.map { "\($0) \(model.answer(.readDevice($0)).words)" } + log
            + [
                model.answer(.readDeadlines).words, model.answer(.readSessions).words, model.answer(.readSite).words,
                model.answer(.readSitePhones).words,
            ]
    }
}

extension BoxVault {
    /// Kinds and devices of the log's entries.
    func logged() throws -> [String] {
        try auditEntries(after: 0, limit: 10_000).map { entry in
            "\(String(decoding: entry.event, as: UTF8.self)) \(entry.device.flatMap(DeviceID.init(bytes:))?.description ?? "")"
        }
    }

    /// What this vault holds, as a belief tells it.
    func sight() async throws -> [String] {
        var lines: [String] = []
        for device in try devices().sorted(by: { $0.id.description < $1.id.description }) {
            lines.append("\(device.id) \(await answer(.readDevice(device.id)).words)")
        }
        lines += try logged()
        return lines + [
            await answer(.readDeadlines).words, await answer(.readSessions).words, await answer(.readSite).words,
            await answer(.readSitePhones).words,
        ]
    }
}
