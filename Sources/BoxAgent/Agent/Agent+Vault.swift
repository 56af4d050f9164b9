import AgentCore
import Vault
import VaultPort

/// Performs the machine's commands to the vault.
extension Agent {
    /// Lets the vault perform a command, with users as the user database knows them.
    func perform(_ command: VaultCommand) async -> VaultAnswer {
        guard case .admitSitePhone(let phone, let sparing) = command else { return await vault.answer(command) }
        do throws(VaultError) {
            return await vault.answer(.admitSitePhone(try await settled(phone), sparing: sparing))
        } catch {
            return .failed(error)
        }
    }

    /// A grant may use another spelling of the user. If no answer comes, a known phone keeps its stored user.
    private func settled(_ phone: StoredSitePhone) async throws(VaultError) -> StoredSitePhone {
        let account = try await settle(phone.user)
        var (user, uid) = (account.name(of: phone.user), UInt32?.none)
        if case .found(let number, _) = account { uid = number }
        if account == .failed, let known = try await vault.device(phone.device) { user = known.user }
        return StoredSitePhone(device: phone.device, publicKey: phone.publicKey, user: user, uid: uid, kept: phone.kept)
    }
}
