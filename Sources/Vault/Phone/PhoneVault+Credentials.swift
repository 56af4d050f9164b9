import PasswordHashing
import Secrets
import VaultPort

/// Phone-held credentials, and the phone's own PIN.
extension PhoneVault {
    private enum Unlocking {
        case refused(PhoneCredentialOutcome)
        case unlocked(HeldSecret)
    }

    public func hasPIN() throws(VaultError) -> Bool {
        try PhoneLockRow.read(database)?.hasPIN ?? false
    }

    /// Returns the number of tries left of the PIN; nil if there is no PIN.
    public func attemptsLeft() throws(VaultError) -> UInt8? {
        guard let row = try PhoneLockRow.read(database), row.hasPIN else { return nil }
        return Self.attemptPolicy.left(row.attempts)
    }

    /// Stores the credential for a box or a site, and returns nil on success. Needs the PIN if one is set.
    public func setCredential(
        _ credential: HeldSecret, for id: [UInt8], pin: HeldSecret?
    ) async throws(VaultError) -> PhoneCredentialOutcome? {
        try SecretBounds.check(credential: credential)
        try await takeTurn()
        defer { turns.end(0) }
        switch try await unlock(pin, making: true) {
        case .refused(let outcome): return outcome
        case .unlocked(let key):
            let padded = PaddedCredential.pad(credential.bytes)
            let changed =
                if try isSite(id) {
                    try database.run(
                        "UPDATE phone_sites SET credential = ?, refused_at = NULL, unknown_sends = 0 WHERE id = ?",
                        .blob(try sitePlace("credential", id).seal(padded, key: key.bytes)), .blob(id))
                } else {
                    try database.run(
                        "UPDATE phone_boxes SET credential = ?, refused_at = NULL, unknown_sends = 0 WHERE id = ?",
                        .blob(try place("credential", id).seal(padded, key: key.bytes)), .blob(id))
                }
            guard changed == 1 else { throw .notFound(what: "box") }
            // The log still contains the old value.
            try database.truncateLog()
            return nil
        }
    }

    /// Opens the credential for a box or a site. If a PIN is set, one try is spent, durably, before the PIN is checked.
    public func credential(for id: [UInt8], pin: HeldSecret?) async throws(VaultError) -> PhoneCredentialOutcome {
        try await takeTurn()
        defer { turns.end(0) }
        guard try storedCredential(id) != nil else { return .noCredential }
        switch try await unlock(pin, making: false) {
        case .refused(let outcome): return outcome
        case .unlocked(let key):
            // The box may have been deleted during the hash.
            guard let sealed = try storedCredential(id) else { return .noCredential }
            let place = try isSite(id) ? sitePlace("credential", id) : place("credential", id)
            guard let padded = place.open(sealed, key: key.bytes),
                let opened = PaddedCredential.unpad(padded)
            else { throw .wrongKey(what: "the stored credential") }
            return .opened(HeldSecret(opened))
        }
    }

    private func storedCredential(_ id: [UInt8]) throws(VaultError) -> [UInt8]? {
        try database.first(
            """
            SELECT credential FROM phone_boxes WHERE id = ?1 UNION ALL SELECT credential FROM phone_sites WHERE id = ?1
            """, [.blob(id)]
        ) { $0.optionalBytes(0) } ?? nil
    }

    private func isSite(_ id: [UInt8]) throws(VaultError) -> Bool {
        try database.first("SELECT 1 FROM phone_sites WHERE id = ?", [.blob(id)]) { _ in true } ?? false
    }

    /// Sets, changes (`old` and `new`) or removes (`new` is nil) the PIN; returns nil on success. The old PIN counts as
    /// a try.
    public func changePIN(old: HeldSecret?, new: HeldSecret?) async throws(VaultError) -> PhoneCredentialOutcome? {
        if let new { try SecretBounds.check(pin: new) }
        try await takeTurn()
        defer { turns.end(0) }
        switch try await unlock(old, making: true) {
        case .refused(let outcome): return outcome
        case .unlocked(let key):
            try await store(key, pin: new)
            try database.truncateLog()
            return nil
        }
    }

    private func unlock(_ pin: HeldSecret?, making: Bool) async throws(VaultError) -> Unlocking {
        guard let row = try PhoneLockRow.read(database) else {
            guard making else { return .refused(.noCredential) }
            let key = HeldSecret(SecretBytes(randomCount: 32))
            try await store(key, pin: nil)
            return .unlocked(key)
        }
        guard let wrapped = row.wrappedKey,
            case .spent(let spent) = Self.attemptPolicy.spend(row.attempts, now: clock.moment)
        else {
            // There are no delays here, so the tries are exhausted.
            try PhoneLockRow.wipe(in: file)
            return .refused(.wiped)
        }
        guard row.hasPIN else {
            guard let key = PhoneLockRow.place.open(wrapped, key: try wrappingKey(row.salt, nil)) else {
                throw .wrongKey(what: "the phone's key")
            }
            return .unlocked(HeldSecret(key))
        }
        guard let pin else { return .refused(.pinNeeded) }
        try SecretBounds.check(pin: pin)
        return try await attempt(row, wrapped, pin, spent)
    }

    /// Tries a PIN in the same order as a box: reserve memory, store the spent try, hash
    /// (docs/decisions/007-pin-attempts.md).
    private func attempt(
        _ row: PhoneLockRow, _ wrapped: [UInt8], _ pin: HeldSecret, _ spent: AttemptState
    ) async throws(VaultError) -> Unlocking {
        let reservation = try await hasher.reserve(row.cost)
        guard !Task.isCancelled else { throw .cancelled }
        guard try PhoneLockRow.replaceAttempts(database, row.attempts, by: spent) else { return .refused(.wiped) }
        let pinHash: HeldSecret
        do {
            pinHash = try await hasher.hash(reservation, pin: pin, salt: row.salt)
        } catch {
            // The failed hash revealed nothing about the PIN, so the try is restored.
            _ = try? PhoneLockRow.replaceAttempts(database, spent, by: row.attempts)
            throw error
        }
        guard let key = PhoneLockRow.place.open(wrapped, key: try wrappingKey(row.salt, pinHash)) else {
            switch Self.attemptPolicy.settleWrong(spent) {
            case .left(let left): return .refused(.pinWrong(attemptsLeft: left))
            case .exhausted:
                try PhoneLockRow.wipe(in: file)
                return .refused(.wiped)
            }
        }
        let settled = Self.attemptPolicy.settleRight(spent)
        guard try PhoneLockRow.replaceAttempts(database, spent, by: settled) else { return .refused(.wiped) }
        return .unlocked(HeldSecret(key))
    }

    private func store(_ key: HeldSecret, pin: HeldSecret?) async throws(VaultError) {
        let salt = randomBytes(count: PasswordHash.saltBytes)
        var pinHash: HeldSecret?
        if let pin { pinHash = try await hasher.hash(try await hasher.reserve(cost), pin: pin, salt: salt) }
        let wrapped = try PhoneLockRow.place.seal(key.bytes, key: try wrappingKey(salt, pinHash))
        try database.run(
            """
            INSERT OR REPLACE INTO phone_lock (id, has_pin, salt, memory_kib, passes, wrapped_key, attempts)
            VALUES (1, ?, ?, ?, ?, ?, 0)
            """,
            .integer(pin == nil ? 0 : 1), .blob(salt), .integer(Int64(cost.memoryKiB)), .integer(Int64(cost.passes)),
            .blob(wrapped))
    }

    /// Derives the key: BLAKE2b-256 keyed with the phone's key, over salt and PIN hash (32 zero bytes without a PIN).
    private func wrappingKey(_ salt: [UInt8], _ pinHash: HeldSecret?) throws(VaultError) -> SecretBytes {
        do {
            var hash = try KeyedHash(key: file.secret, context: "boxphone/kek/1")
            hash.add(salt)
            if let pinHash {
                hash.add(pinHash.bytes)
            } else {
                hash.add([UInt8](repeating: 0, count: PasswordHash.hashBytes))
            }
            return hash.finish()
        } catch {
            throw .wrongKey(what: "the phone's key")
        }
    }

    /// Waits until no other try runs. The caller must end the turn.
    private func takeTurn() async throws(VaultError) {
        switch turns.enter(0) {
        case .now: return
        case .refused: throw .busy
        case .wait: await withCheckedContinuation { turns.wait(0, $0) }
        }
        guard !Task.isCancelled else {
            turns.end(0)
            throw .cancelled
        }
    }
}
