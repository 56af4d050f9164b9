import AgentCore
import Vault
import VaultPort

/// User names in the vault follow the user database's spelling of each account, and its number is compared
/// (docs/decisions/057-user-names.md).
extension Agent {
    /// Compares all users with the user database: an earlier version stored them, or the database did not answer then.
    /// Stops at the first lookup without an answer; each user is compared again when a phone or a program comes.
    func settleUsers() async {
        do throws(VaultError) {
            for user in Set(try await vault.devices().map(\.user)) where try await settle(user) == .failed { return }
        } catch {
            log.error("users could not be compared with the user database: \(error)")
        }
    }

    /// Looks up a user. The user's devices in the vault get the account's name, and their number is compared.
    @discardableResult
    func settle(
        _ user: [UInt8], within limit: Duration = AccountDirectory.patience
    ) async throws(VaultError) -> AccountLookup {
        let account = await parts.accounts.look(up: user, within: limit)
        guard case .found(let uid, _) = account else {
            // A silent user database decides nothing: the vault decides.
            feed(.numbered(accepted: [], others: try await vault.refused(of: user)))
            return account
        }
        let name = account.name(of: user)
        let result = try await vault.compare(user, as: name, uid: uid)
        // The machine learns this before the caller goes on.
        feed(.numbered(accepted: result.accepted, others: result.others))
        if result.renamed > 0, let text = LogText.renaming(user, to: name) {
            log.notice(
                "\(text): enrolled phones renamed: \(result.renamed); \(LogText.text(name)) now has phones: \(result.now)"
            )
        }
        if result.refuses {
            log.warning(
                "phones of \(LogText.text(name)) are refused: the account has the number \(uid) now, and had another one; "
                    + "run 'boxagent doctor'")
        }
        return account
    }

    /// Looks up a user, also if the vault cannot be read.
    func account(of user: [UInt8], within limit: Duration = AccountDirectory.patience) async -> AccountLookup {
        do throws(VaultError) {
            return try await settle(user, within: limit)
        } catch {
            log.error("the user \(LogText.text(user)) could not be compared with the user database: \(error)")
            return .failed
        }
    }
}
