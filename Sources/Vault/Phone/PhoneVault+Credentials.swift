import Secrets

/// What opening the phone's credentials came to.
public enum PhoneCredentialOutcome: Sendable {
    case opened(HeldSecret)
    case pinNeeded
    case pinWrong(attemptsLeft: UInt8)
    /// Ten wrong PINs: the phone's credentials were destroyed, now or before.
    case wiped
    /// No credential is stored for this box.
    case noCredential
}

/// Credentials that the phone holds itself, and its PIN.
extension PhoneVault {
    private enum Unlocking {
        case refused(PhoneCredentialOutcome)
        case unlocked(HeldSecret)
    }

    public func hasPIN() throws(VaultError) -> Bool {
        try PhoneLockRow.read(database)?.hasPIN ?? false
    }

    /// Tries left of the PIN; nil when there is none.
    public func attemptsLeft() throws(VaultError) -> UInt8? {
        guard let row = try PhoneLockRow.read(database), row.hasPIN else { return nil }
        return UInt8(max(0, PINAttempts.limit - row.attempts))
    }

    /// Stores the credential for a box. With a PIN set, the PIN is needed; nil when it is stored.
    public func setCredential(
        _ credential: HeldSecret, for id: [UInt8], pin: HeldSecret?
    ) async throws(VaultError) -> PhoneCredentialOutcome? {
        await takeTurn()
        defer { turns.end(0) }
        switch try await unlock(pin, making: true) {
        case .refused(let outcome): return outcome
        case .unlocked(let key):
            let sealed = try place("credential", id).seal(credential.bytes, key: key.bytes)
            let changed = try database.run(
                "UPDATE phone_boxes SET credential = ? WHERE id = ?", .blob(sealed), .blob(id))
            guard changed == 1 else { throw .notFound(what: "box") }
            return nil
        }
    }

    /// The credential for a box. With a PIN set, a try is spent, durably, before the PIN is looked at.
    public func credential(for id: [UInt8], pin: HeldSecret?) async throws(VaultError) -> PhoneCredentialOutcome {
        await takeTurn()
        defer { turns.end(0) }
        let stored = try database.rows("SELECT credential FROM phone_boxes WHERE id = ?", [.blob(id)], limit: 1) {
            $0.optionalBytes(0)
        }
        guard let sealed = stored.first ?? nil else { return .noCredential }
        switch try await unlock(pin, making: false) {
        case .refused(let outcome): return outcome
        case .unlocked(let key):
            guard let opened = place("credential", id).open(sealed, key: key.bytes) else {
                throw .wrongKey(what: "the stored credential")
            }
            return .opened(HeldSecret(opened))
        }
    }

    /// Sets, changes (`old` and `new`) or removes (`new` nil) the PIN; nil when it is done. The old PIN is a try.
    public func changePIN(old: HeldSecret?, new: HeldSecret?) async throws(VaultError) -> PhoneCredentialOutcome? {
        await takeTurn()
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
        guard row.attempts < PINAttempts.limit, let wrapped = row.wrappedKey else {
            try PhoneLockRow.wipe(in: database)
            return .refused(.wiped)
        }
        guard row.hasPIN else {
            guard let key = PhoneLockRow.place.open(wrapped, key: try wrappingKey(row.salt, nil)) else {
                throw .wrongKey(what: "the phone's key")
            }
            return .unlocked(HeldSecret(key))
        }
        guard let pin else { return .refused(.pinNeeded) }
        return try await attempt(row, wrapped, pin)
    }

    private func attempt(_ row: PhoneLockRow, _ wrapped: [UInt8], _ pin: HeldSecret) async throws(VaultError)
        -> Unlocking
    {
        let reservation = try reserve(row.cost)
        let spent = row.attempts + 1
        try database.run("UPDATE phone_lock SET attempts = ?", .integer(Int64(spent)))
        let pinHash = try await hasher.hash(reservation, pin: pin, salt: row.salt)
        guard let key = PhoneLockRow.place.open(wrapped, key: try wrappingKey(row.salt, pinHash)) else {
            guard spent < PINAttempts.limit else {
                try PhoneLockRow.wipe(in: database)
                return .refused(.wiped)
            }
            return .refused(.pinWrong(attemptsLeft: UInt8(PINAttempts.limit - spent)))
        }
        try database.run("UPDATE phone_lock SET attempts = 0")
        return .unlocked(HeldSecret(key))
    }

    private func store(_ key: HeldSecret, pin: HeldSecret?) async throws(VaultError) {
        let salt = randomBytes(count: PasswordHash.saltBytes)
        var pinHash: HeldSecret?
        if let pin { pinHash = try await hasher.hash(try reserve(cost), pin: pin, salt: salt) }
        let wrapped = try PhoneLockRow.place.seal(key.bytes, key: try wrappingKey(salt, pinHash))
        try database.run(
            """
            INSERT OR REPLACE INTO phone_lock (id, has_pin, salt, memory_kib, passes, wrapped_key, attempts)
            VALUES (1, ?, ?, ?, ?, ?, 0)
            """,
            .integer(pin == nil ? 0 : 1), .blob(salt), .integer(Int64(cost.memoryKiB)), .integer(Int64(cost.passes)),
            .blob(wrapped))
    }

    /// BLAKE2b-256 keyed with the phone's key, over the salt and the PIN's hash (32 zero bytes without a PIN).
    private func wrappingKey(_ salt: [UInt8], _ pinHash: HeldSecret?) throws(VaultError) -> SecretBytes {
        do {
            var hash = try KeyedHash(key: file.key, context: "boxphone/kek/1")
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

    private func reserve(_ cost: PasswordHashCost) throws(VaultError) -> PasswordHash.Reservation {
        do {
            return try PasswordHash.reserve(cost)
        } catch {
            throw .outOfMemory
        }
    }

    private func takeTurn() async {
        guard !turns.take(0) else { return }
        await withCheckedContinuation { turns.wait(0, $0) }
    }
}
