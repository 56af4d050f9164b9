import Secrets
import Vault
import VaultPort

@testable import PasswordHashing

/// A quick hash in place of Argon2id that says when it is asked: each line `trying` is a PIN that was looked at.
struct ReportingHasher: PINHasher {
    let reservation: PasswordHash.Reservation

    init() throws {
        // Nothing uses the memory, and to lock Argon2's takes longer than the whole check.
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
