import Names
import PasswordHashing
import Secrets
import VaultPort

/// A stored box-held credential (docs/decisions/008-vault.md). The wrapped key needs the PIN, the device secret and the
/// box secret. The credential needs the wrapped key.
struct CredentialRow {
    let id: [UInt8]
    let salt: [UInt8]
    let cost: PasswordHashCost
    /// Nil after it was destroyed.
    let wrappedKey: [UInt8]?
    let sealed: [UInt8]
    let attempts: AttemptState
    let stale: Bool

    static let idBytes = 16

    static func read(_ database: Database, device: DeviceID) throws(VaultError) -> CredentialRow? {
        try database.first(
            """
            SELECT id, salt, memory_kib, passes, wrapped_key, sealed, stale, attempts, last_attempt, lockout_boot,
                lockout_until
            FROM credentials WHERE device = ?
            """, [.blob(device.bytes)]
        ) { (row) throws(VaultError) in
            guard let memory = UInt32(exactly: row.integer(2)), let passes = UInt32(exactly: row.integer(3)),
                let cost = try? PasswordHashCost(memoryKiB: memory, passes: passes),
                let attempts = AttemptState(
                    used: Int(row.integer(7)), isLast: row.integer(8) == 1,
                    lockedUntil: row.optionalInteger(10).map {
                        BootMoment(boot: row.bytes(9), nanoseconds: $0)
                    })
            else { throw .damaged(keptAs: row.path) }
            return CredentialRow(
                id: row.bytes(0), salt: row.bytes(1), cost: cost, wrappedKey: row.optionalBytes(4),
                sealed: row.bytes(5), attempts: attempts, stale: row.integer(6) == 1)
        }
    }

    /// Replaces the tries' old state by the new one, durably. Returns false if the stored state is not `old` or the
    /// credential is gone.
    func replaceAttempts(
        _ database: Database, _ old: AttemptState, by new: AttemptState
    ) throws(VaultError) -> Bool {
        try database.run(
            """
            UPDATE credentials SET attempts = ?, last_attempt = ?, lockout_boot = ?, lockout_until = ?
            WHERE id = ? AND attempts = ? AND last_attempt = ? AND wrapped_key IS NOT NULL
            """,
            .integer(Int64(new.used)), .integer(new.isLast ? 1 : 0), .optional(new.lockedUntil?.boot),
            .optional(new.lockedUntil?.nanoseconds), .blob(id), .integer(Int64(old.used)),
            .integer(old.isLast ? 1 : 0)) == 1
    }

    static func wrapPlace(_ id: [UInt8]) -> SealedColumn {
        SealedColumn(table: "credentials", column: "wrapped_key", row: id)
    }

    static func sealPlace(_ id: [UInt8]) -> SealedColumn {
        SealedColumn(table: "credentials", column: "sealed", row: id)
    }
}

/// The inputs of a credential's wrapping key.
struct CredentialKeyParts {
    /// The four drawn digits, which never change.
    let drawnID: [UInt8]
    let device: DeviceID
    let credential: [UInt8]

    /// Derives the key that wraps the credential's key: BLAKE2b-256 keyed with the box secret, over fixed-width parts.
    func wrappingKey(
        boxSecret: borrowing SecretBytes, pinHash: borrowing SecretBytes, deviceSecret: borrowing SecretBytes
    ) throws(VaultError) -> SecretBytes {
        guard pinHash.count == PasswordHash.hashBytes, deviceSecret.count == SecretBounds.deviceSecretBytes else {
            throw .invalid(what: "a device secret has 32 bytes")
        }
        do {
            var hash = try KeyedHash(key: boxSecret, context: "boxagent/kek/1")
            hash.add(drawnID)
            hash.add(device.bytes)
            hash.add(credential)
            hash.add(pinHash)
            hash.add(deviceSecret)
            return hash.finish()
        } catch {
            throw .wrongKey(what: "the box secret")
        }
    }
}
