import PhoneCore
import Vault
import VaultPort

extension VaultSource {
    /// Performs an operation's command on the vault.
    func answer(_ command: PhoneVaultCommand) async -> PhoneVaultAnswer {
        do throws(VaultError) {
            return try await vault().perform(command)
        } catch {
            return .failed(error)
        }
    }
}

extension PhoneVaultCommand {
    /// True if the command may be cancelled: it changes nothing until a try is spent.
    var isTry: Bool {
        guard case .openCredential = self else { return false }
        return true
    }
}

extension PhoneVault {
    fileprivate func perform(_ command: PhoneVaultCommand) async throws(VaultError) -> PhoneVaultAnswer {
        switch command {
        case .box(let id): return .box(try box(id))
        case .deviceKey(let id): return .secret(try deviceKey(id))
        case .deviceSecret(let id): return .secret(try deviceSecret(id))
        case .renewDeviceSecret(let id): return .secret(try renewDeviceSecret(id))
        case .destroyDeviceSecret(let id): try destroyDeviceSecret(id)
        case .forget(let id):
            do throws(VaultError) {
                try forget(id)
            } catch .notFound {
                // Another program on this phone has already forgotten the box.
            }
        case .raiseSerial(let id, let serial, let boxID):
            try raiseSerial(id, to: serial, boxID: boxID)
            return .box(try box(id))
        case .noteAddress(let address, let id): try noteAddress(address, of: id)
        case .beginEnrolment(let new): return .box(try beginEnrolment(new))
        case .setLabel(let label, let id): return .box(try setLabel(label, of: id))
        case .confirmEnrolment(let id, let user, let mode):
            try confirmEnrolment(id, user: user, mode: mode)
            return .box(try box(id))
        case .openCredential(let id, let pin):
            let outcome = try await credential(for: id, pin: pin)
            return .credential(outcome, triesLeft: try attemptsLeft().map(Int.init))
        case .passwordHistory(let id): return .passwordHistory(try passwordHistory(of: id))
        case .notePassword(let id, let note): try notePassword(of: id, note)
        case .unlockSite(let id, let salt, let pin, let newPIN):
            return .siteUnlocked(try await unlockSite(id, salt: salt, pin: pin, newPIN: newPIN))
        case .noteSiteBox(let boxKey, let id, let hasGrant):
            try noteSiteBox(boxKey, of: id, hasGrant: hasGrant)
        case .siteKey:
            let id = try siteKey().id
            return .siteKey(id, try deviceKey(id))
        case .keepSite(let membership, let id): try keep(membership, as: id)
        case .keepSiteGrant(let grant, let id, let old): try keepSiteGrant(grant, of: id, inPlaceOf: old)
        case .keepSiteNews(let news): try keep(news)
        case .stopSite(let id, let entry): try stopSite(id, entry: entry)
        }
        return .done
    }
}
