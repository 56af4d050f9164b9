import Secrets
import Vault
import VaultPort

@testable import PasswordHashing

/// A quick hash instead of Argon2id that reports each call: a line `trying` is a PIN that the vault checked.
struct ReportingHasher: PINHasher {
    let reservation: PasswordHash.Reservation

    init() throws {
        // Reserves little memory, which nothing uses. To lock Argon2's memory takes longer than the whole check.
        reservation = try PasswordHash.reserve(PasswordHashCost(checkedMemoryKiB: 8, passes: 1))
    }

    func reserve(_ cost: PasswordHashCost) async throws(VaultError) -> PasswordHash.Reservation {
        reservation
    }

    func hash(
        _ reservation: PasswordHash.Reservation, pin: HeldSecret, salt: [UInt8]
    ) async throws(VaultError) -> HeldSecret {
        Report.say("trying")
        do {
            var hash = try KeyedHash(key: SecretBytes(copying: salt), context: "test/pin")
            hash.add(pin.bytes)
            return HeldSecret(hash.finish())
        } catch {
            throw .outOfMemory
        }
    }
}
