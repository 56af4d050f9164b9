import AgentCore
import Vault
import VaultPort

/// What a channel needs to know of the box.
struct ChannelContext: Sendable {
    let vault: BoxVault
    let keys: BoxKeys

    /// The record behind a claimed key, when it is that of an active device. Reads only.
    func activeDevice(_ claimed: ClaimedDevice) async throws(ChannelEnd) -> DeviceRecord? {
        do {
            let record = try await vault.device(publicKey: claimed.publicKey)
            return record?.state == .active ? record : nil
        } catch {
            throw .vaultUnavailable
        }
    }
}
