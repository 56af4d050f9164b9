import PasswordHashing
import AuditLog
import Names
import Secrets
import VaultPort

/// One PIN try, in the order that makes it count (docs/decisions/007-pin-attempts.md): reserve memory, store the spent
/// try, hash. `AttemptPolicy` decides the effect of a try on the row.
extension BoxVault {
    enum Attempt {
        case refused(CredentialOutcome)
        /// The PIN is right: the current row, and the unwrapped key.
        case unlocked(CredentialRow, HeldSecret)
    }

    private enum Admission {
        case refused(CredentialOutcome)
        /// The state to store before the PIN is checked.
        case admitted(AttemptState)
    }

    /// Runs one try. The caller must hold the device's turn.
    func attempt(
        _ device: DeviceID, _ pin: HeldSecret, _ deviceSecret: HeldSecret
    ) async throws(VaultError) -> Attempt {
        guard let row = try CredentialRow.read(database, device: device) else {
            return .refused(try wasWiped(device) ? .wiped : .noCredential)
        }
        if case .refused(let outcome) = try admit(device, row) { return .refused(outcome) }
        // Memory comes first: running out of it must not cost a try.
        let reservation = try await hasher.reserve(row.cost)
        guard !Task.isCancelled else { throw .cancelled }
        let spent: AttemptState
        // Check again: time has passed, and the policy may have changed.
        switch try admit(device, row) {
        case .refused(let outcome): return .refused(outcome)
        case .admitted(let state): spent = state
        }
        // Exactly one durable transaction. It fails if the row was wiped or revoked while memory was reserved.
        guard try row.replaceAttempts(database, row.attempts, by: spent) else { return .refused(.wiped) }
        let pinHash = try await hash(reservation, pin, row, spent)
        // If the row was wiped or revoked during the hash, the values read earlier must not be used.
        guard let current = try CredentialRow.read(database, device: device), current.id == row.id,
            let wrapped = current.wrappedKey
        else { return .refused(.wiped) }
        let kek = try keyParts(device, row.id).wrappingKey(
            boxSecret: file.secret, pinHash: pinHash.bytes, deviceSecret: deviceSecret.bytes)
        guard let key = CredentialRow.wrapPlace(row.id).open(wrapped, key: kek) else {
            switch attemptPolicy.settleWrong(spent) {
            case .left(let left): return .refused(.pinWrong(attemptsLeft: left))
            case .exhausted:
                try wipeExhausted(device, spent)
                return .refused(.wiped)
            }
        }
        // Turns exclude other tries. If the count changed meanwhile anyway, the count is not reset.
        guard try row.replaceAttempts(database, spent, by: attemptPolicy.settleRight(spent)) else { throw .busy }
        return .unlocked(current, HeldSecret(key))
    }

    /// Decides whether a try may run now; wipes the credential if no try is left.
    private func admit(_ device: DeviceID, _ row: CredentialRow) throws(VaultError) -> Admission {
        guard row.wrappedKey != nil else {
            try wipeExhausted(device, row.attempts)
            return .refused(.wiped)
        }
        switch attemptPolicy.spend(row.attempts, now: clock.moment) {
        case .spent(let state):
            return .admitted(state)
        case .lockedOut(let seconds, let state):
            if state != row.attempts {
                guard try row.replaceAttempts(database, row.attempts, by: state) else { return .refused(.wiped) }
            }
            return .refused(.lockedOut(seconds: seconds))
        case .exhausted:
            try wipeExhausted(device, row.attempts)
            return .refused(.wiped)
        }
    }

    private func wipeExhausted(_ device: DeviceID, _ state: AttemptState) throws(VaultError) {
        try wipe(device, by: .phone(device), reason: "\(state.used) wrong PINs")
    }

    /// Hashes the PIN. A failed hash reveals nothing about the PIN, so the try is restored: lack of memory must not
    /// wipe the credential.
    private func hash(
        _ reservation: PasswordHash.Reservation, _ pin: HeldSecret, _ row: CredentialRow, _ spent: AttemptState
    ) async throws(VaultError) -> HeldSecret {
        do {
            return try await hasher.hash(reservation, pin: pin, salt: row.salt)
        } catch {
            _ = try? row.replaceAttempts(database, spent, by: row.attempts)
            throw error
        }
    }

    private func wasWiped(_ device: DeviceID) throws(VaultError) -> Bool {
        try database.first("SELECT wiped FROM devices WHERE id = ?", [.blob(device.bytes)]) { $0.integer(0) == 1 }
            ?? false
    }

    func keyParts(_ device: DeviceID, _ credential: [UInt8]) -> CredentialKeyParts {
        CredentialKeyParts(drawnID: drawnID, device: device, credential: credential)
    }

    /// Waits until no other try of this device runs. The caller must end the turn.
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
}
