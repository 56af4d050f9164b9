import PasswordHashing
import AuditLog
import Names
import Secrets
import VaultPort

/// One try of a PIN, in the order that makes it count (docs/decisions/007-pin-attempts.md): memory, the spent try on
/// disk, the hash. What a try makes of the row is `AttemptPolicy`'s to say.
extension BoxVault {
    enum Attempt {
        case refused(CredentialOutcome)
        /// The PIN is right: the row as it is now, and the key that it wraps.
        case unlocked(CredentialRow, HeldSecret)
    }

    private enum Admission {
        case refused(CredentialOutcome)
        /// What is to be written before the PIN is looked at.
        case admitted(AttemptState)
    }

    /// The caller has the device's turn.
    func attempt(
        _ device: DeviceID, _ pin: HeldSecret, _ deviceSecret: HeldSecret
    ) async throws(VaultError) -> Attempt {
        guard let row = try CredentialRow.read(database, device: device) else {
            return .refused(try wasWiped(device) ? .wiped : .noCredential)
        }
        if case .refused(let outcome) = try admit(device, row) { return .refused(outcome) }
        // Memory first: running out of it must not cost a try.
        let reservation = try await hasher.reserve(row.cost)
        guard !Task.isCancelled else { throw .cancelled }
        let spent: AttemptState
        // Time has passed, and the policy may be another.
        switch try admit(device, row) {
        case .refused(let outcome): return .refused(outcome)
        case .admitted(let state): spent = state
        }
        // Exactly one durable transaction. Wiped or revoked while memory was found: there is nothing to try.
        guard try row.replaceAttempts(database, row.attempts, by: spent) else { return .refused(.wiped) }
        let pinHash = try await hash(reservation, pin, row, spent)
        // Wiped or revoked while the hash ran: what was read before must not be used.
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
        // Turns keep other tries away: whatever counted meanwhile, its count is not given back.
        guard try row.replaceAttempts(database, spent, by: attemptPolicy.settleRight(spent)) else { throw .busy }
        return .unlocked(current, HeldSecret(key))
    }

    /// Whether a try may be made now; where none is left, the credential is wiped.
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

    /// The hash. When it could not be made, nothing was learnt of the PIN, and the try is given back: running out
    /// of memory must not wipe.
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
}
