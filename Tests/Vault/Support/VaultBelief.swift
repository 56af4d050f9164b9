import AuditLog
import Names
import Secrets
import VaultPort
import VaultModel

@testable import Vault

/// The expected contents of a vault: the model, and the kinds of the audit log's entries.
struct VaultBelief {
    var model = ModelVault()
    var log: [String] = []

    /// Returns the state after a crash that followed the counting of the try, or nil for a command without a try.
    func spent(by command: VaultCommand) -> VaultBelief? {
        switch command {
        case .openCredential(let device, _, let half), .changePIN(let device, _, _, let half):
            after(.openCredential(device, pin: secret("none of all PINs"), deviceSecret: half), device)
        default: nil
        }
    }

    /// Returns the state when a PIN change has found the old PIN correct, or nil for another command.
    func opened(by command: VaultCommand) -> VaultBelief? {
        guard case .changePIN(let device, let old, _, let half) = command else { return nil }
        return after(.openCredential(device, pin: old, deviceSecret: half), device)
    }

    private func after(_ attempt: VaultCommand, _ device: DeviceID) -> VaultBelief {
        var belief = self
        _ = belief.model.answer(attempt)
        // After the last try, the next start finds the try spent and wipes the credential.
        if model.state(device) != nil, belief.model.state(device) == nil {
            belief.log.append("\(AuditEvent.Kind.credentialWiped.rawValue) \(device)")
        }
        return belief
    }

    /// A description of the contents, without secrets.
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
    /// Returns the kinds and devices of the audit log's entries.
    func logged() throws -> [String] {
        try auditEntries(after: 0, limit: 10_000).map { entry in
            "\(String(decoding: entry.event, as: UTF8.self)) \(entry.device.flatMap(DeviceID.init(bytes:))?.description ?? "")"
        }
    }

    /// Returns the vault's contents in the form of `VaultBelief.sight`.
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
