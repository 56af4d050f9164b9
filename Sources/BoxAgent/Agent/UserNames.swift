import AgentCore
import Vault
import VaultPort

/// User names in the vault follow the user database's spelling of each account (docs/decisions/057-user-names.md).
extension AgentParts {
    /// Renames users whose stored spelling differs. An earlier version stored it, or the user database did not answer
    /// then. Stops at the first lookup without an answer; each name is checked again when the user's phone connects.
    func settleUserNames() async {
        do throws(VaultError) {
            for user in Set(try await vault.devices().map(\.user)) where try await settle(user) == .failed { return }
        } catch {
            log.error("the names of users could not be compared with the user database: \(error)")
        }
    }

    /// Looks up a user of the vault. If the account has another name, the vault's devices are renamed.
    @discardableResult
    func settle(_ user: [UInt8]) async throws(VaultError) -> AccountLookup {
        let account = await accounts.look(up: user)
        let name = account.name(of: user)
        guard let text = LogText.renaming(user, to: name) else { return account }
        let (renamed, now) = try await vault.rename(user, to: name)
        guard renamed > 0 else { return account }
        let who = LogText.text(name)
        log.notice("\(text): enrolled phones renamed: \(renamed); phones of \(who) now: \(now)")
        return account
    }

    /// Lets the vault perform a command, with user names in the spelling of the user database.
    func answer(_ command: VaultCommand) async -> VaultAnswer {
        guard case .admitSitePhone(let phone, let sparing) = command else { return await vault.answer(command) }
        do throws(VaultError) {
            return await vault.answer(.admitSitePhone(try await settled(phone), sparing: sparing))
        } catch {
            return .failed(error)
        }
    }

    /// A grant may use another spelling of the user. If no answer comes, a known phone keeps its stored user.
    private func settled(_ phone: StoredSitePhone) async throws(VaultError) -> StoredSitePhone {
        let account = await accounts.look(up: phone.user)
        var user = account.name(of: phone.user)
        if account == .failed, let known = try await vault.device(phone.device) { user = known.user }
        return StoredSitePhone(device: phone.device, publicKey: phone.publicKey, user: user, kept: phone.kept)
    }
}
