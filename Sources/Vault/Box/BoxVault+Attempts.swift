import AuditLog
import Secrets
import VaultPort

/// One try of a PIN, in the order that makes it count (docs/decisions/007-pin-attempts.md): memory, the spent try on
/// disk, the hash.
extension BoxVault {
    enum Attempt {
        case refused(CredentialOutcome)
        /// The PIN is right: the row as it is now, and the key that it wraps.
        case unlocked(CredentialRow, HeldSecret)
    }

    /// The caller has the device's turn.
    func attempt(
        _ device: DeviceID, _ pin: HeldSecret, _ deviceSecret: HeldSecret
    ) async throws(VaultError) -> Attempt {
        guard let row = try CredentialRow.read(database, device: device) else {
            return .refused(try wasWiped(device) ? .wiped : .noCredential)
        }
        guard row.wrappedKey != nil, row.attempts < PINAttempts.limit else {
            try wipeSpent(device)
            return .refused(.wiped)
        }
        if let seconds = try remainingLockout(row) { return .refused(.lockedOut(seconds: seconds)) }
        // Memory first: running out of it must not cost a try.
        let reservation = try await hasher.reserve(row.cost)
        guard !Task.isCancelled else { throw .cancelled }
        // Wiped or revoked while memory was found: there is nothing to try.
        guard let spent = try spend(row) else { return .refused(.wiped) }
        let pinHash = try await hash(reservation, pin, row, spent)
        // Wiped or revoked while the hash ran: what was read before must not be used.
        guard let current = try CredentialRow.read(database, device: device), current.id == row.id,
            let wrapped = current.wrappedKey
        else { return .refused(.wiped) }
        let kek = try keyParts(device, row.id).wrappingKey(
            boxSecret: file.secret, pinHash: pinHash.bytes, deviceSecret: deviceSecret.bytes)
        guard let key = CredentialRow.wrapPlace(row.id).open(wrapped, key: kek) else {
            guard spent < PINAttempts.limit else {
                try wipeSpent(device)
                return .refused(.wiped)
            }
            return .refused(.pinWrong(attemptsLeft: PINAttempts.left(after: spent)))
        }
        try database.run(
            "UPDATE credentials SET attempts = 0, lockout_boot = NULL, lockout_until = NULL WHERE id = ?",
            .blob(row.id))
        return .unlocked(current, HeldSecret(key))
    }

    private func wipeSpent(_ device: DeviceID) throws(VaultError) {
        try wipe(device, by: .phone(device.bytes), reason: "ten wrong PINs")
    }

    /// Writes the try down: exactly one durable transaction. The new count; nil when the credential is gone.
    private func spend(_ row: CredentialRow) throws(VaultError) -> Int? {
        let spent = row.attempts + 1
        let delay = delaysWrongPINs ? PINAttempts.delay(after: spent) : 0
        let until: Int64? = delay > 0 ? nanoseconds(clock.sinceBoot + .seconds(delay)) : nil
        let changed = try database.run(
            """
            UPDATE credentials SET attempts = ?, lockout_boot = ?, lockout_until = ?
            WHERE id = ? AND attempts = ? AND wrapped_key IS NOT NULL
            """,
            .integer(Int64(spent)), .optional(until == nil ? nil : clock.bootID), .optional(until), .blob(row.id),
            .integer(Int64(row.attempts)))
        return changed == 1 ? spent : nil
    }

    /// The hash. When it could not be made, nothing was learnt of the PIN, and the try is given back: running out
    /// of memory must not wipe.
    private func hash(
        _ reservation: PasswordHash.Reservation, _ pin: HeldSecret, _ row: CredentialRow, _ spent: Int
    ) async throws(VaultError) -> HeldSecret {
        do {
            return try await hasher.hash(reservation, pin: pin, salt: row.salt)
        } catch {
            _ = try? database.run(
                """
                UPDATE credentials SET attempts = ?, lockout_boot = ?, lockout_until = ?
                WHERE id = ? AND attempts = ?
                """,
                .integer(Int64(row.attempts)), .optional(row.lockoutBoot), .optional(row.lockoutUntil),
                .blob(row.id), .integer(Int64(spent)))
            throw error
        }
    }

    /// Seconds that are left of a delay; after a reboot the whole delay begins again.
    private func remainingLockout(_ row: CredentialRow) throws(VaultError) -> UInt32? {
        guard delaysWrongPINs, let until = row.lockoutUntil else { return nil }
        let now = nanoseconds(clock.sinceBoot)
        if row.lockoutBoot == clock.bootID {
            return until > now ? UInt32(clamping: (until - now + 999_999_999) / 1_000_000_000) : nil
        }
        let delay = PINAttempts.delay(after: row.attempts)
        try database.run(
            "UPDATE credentials SET lockout_boot = ?, lockout_until = ? WHERE id = ?", .blob(clock.bootID),
            .integer(now + delay * 1_000_000_000), .blob(row.id))
        return delay > 0 ? UInt32(clamping: delay) : nil
    }

    private func wasWiped(_ device: DeviceID) throws(VaultError) -> Bool {
        try database.first("SELECT wiped FROM devices WHERE id = ?", [.blob(device.bytes)]) { $0.integer(0) == 1 }
            ?? false
    }

    func keyParts(_ device: DeviceID, _ credential: [UInt8]) -> CredentialKeyParts {
        CredentialKeyParts(drawnID: drawnID, device: device, credential: credential)
    }

    /// Waits until no other try of this device runs. The caller ends the turn.
    func takeTurn(_ device: DeviceID) async throws(VaultError) {
        switch turns.enter(device) {
        case .now: return
        case .refused: throw .busy
        case .wait: await withCheckedContinuation { turns.wait(device, $0) }
        }
        guard !Task.isCancelled else {
            turns.end(device)
            throw .cancelled
        }
    }

    func nanoseconds(_ time: Duration) -> Int64 {
        let parts = time.components
        return parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
    }
}
