import AgentCore
import Vault
import VaultPort

/// Names of users in the vault, which are those that the user database has for the accounts (docs/decisions/057-user-names.md).
extension AgentParts {
    /// Renames what earlier versions, or a user database that was away, have left under other spellings. The first name without an
    /// answer is the last: each is looked at again when its phone comes.
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

    /// Has the vault do what the machine orders, for the users that the user database knows.
    func answer(_ command: VaultCommand) async -> VaultAnswer {
        guard case .admitSitePhone(let phone, let sparing) = command else { return await vault.answer(command) }
        do throws(VaultError) {
            return await vault.answer(.admitSitePhone(try await settled(phone), sparing: sparing))
        } catch {
            return .failed(error)
        }
    }

    /// A grant may name the user by another spelling. Where nobody answers, a phone that is known stays its user's.
    private func settled(_ phone: StoredSitePhone) async throws(VaultError) -> StoredSitePhone {
        let account = await accounts.look(up: phone.user)
        var user = account.name(of: phone.user)
        if account == .failed, let known = try await vault.device(phone.device) { user = known.user }
        return StoredSitePhone(device: phone.device, publicKey: phone.publicKey, user: user, kept: phone.kept)
    }
}
