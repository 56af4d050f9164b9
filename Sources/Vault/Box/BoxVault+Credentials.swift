import Secrets

/// What a try of a PIN came to.
public enum CredentialOutcome: Sendable {
    case opened(HeldSecret)
    /// The PIN is right, but the password has been changed since it was stored.
    case stale
    case pinWrong(attemptsLeft: UInt8)
    /// The credential was destroyed: now, or before.
    case wiped
    case lockedOut(seconds: UInt32)
    case noCredential
}

/// What is known of a stored credential without its PIN.
public struct CredentialState: Equatable, Sendable {
    public let attemptsLeft: UInt8
    public let stale: Bool
}

/// Box-held credentials and their PINs (DESIGN section 7). Only the owning device, authenticated, gets here.
extension BoxVault {
    /// Stores a credential under a new key, in place of the device's old one, whose key is destroyed.
    public func storeCredential(
        device: DeviceID, pin: HeldSecret, deviceSecret: HeldSecret, credential: HeldSecret
    ) async throws(VaultError) {
        await takeTurn(device)
        defer { turns.end(device) }
        guard try self.device(device)?.state == .active else { throw .notFound(what: "device") }
        let id = randomBytes(count: CredentialRow.idBytes)
        let salt = randomBytes(count: PasswordHash.saltBytes)
        let cost = cost
        let pinHash = try await hasher.hash(try reserve(cost), pin: pin, salt: salt)
        let key = SecretBytes(randomCount: 32)
        let kek = try keyParts(device, id).wrappingKey(
            boxSecret: file.key, pinHash: pinHash.bytes, deviceSecret: deviceSecret.bytes)
        let wrapped = try CredentialRow.wrapPlace(id).seal(key, key: kek)
        let sealed = try CredentialRow.sealPlace(id).seal(credential.bytes, key: key)
        try BoxCredentialRows.wipe(in: database, device: device)
        try database.run(
            """
            INSERT INTO credentials (id, device, salt, memory_kib, passes, wrapped_key, sealed)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            .blob(id), .blob(device.bytes), .blob(salt), .integer(Int64(cost.memoryKiB)),
            .integer(Int64(cost.passes)), .blob(wrapped), .blob(sealed))
    }

    /// Tries a PIN and opens the credential. One try is spent, durably, before the PIN is looked at.
    public func openCredential(
        device: DeviceID, pin: HeldSecret, deviceSecret: HeldSecret
    ) async throws(VaultError) -> CredentialOutcome {
        await takeTurn(device)
        defer { turns.end(device) }
        switch try await attempt(device, pin, deviceSecret) {
        case .refused(let outcome): return outcome
        case .unlocked(let row, let key):
            guard !row.stale else { return .stale }
            guard let credential = CredentialRow.sealPlace(row.id).open(row.sealed, key: key.bytes) else {
                throw .wrongKey(what: "the stored credential")
            }
            return .opened(HeldSecret(credential))
        }
    }

    /// Changes the PIN. The old one is a try like any other; the new one takes a new salt.
    public func changePIN(
        device: DeviceID, old: HeldSecret, new: HeldSecret, deviceSecret: HeldSecret
    ) async throws(VaultError) -> CredentialOutcome? {
        await takeTurn(device)
        defer { turns.end(device) }
        switch try await attempt(device, old, deviceSecret) {
        case .refused(let outcome): return outcome
        case .unlocked(let row, let key):
            let salt = randomBytes(count: PasswordHash.saltBytes)
            let cost = cost
            let pinHash = try await hasher.hash(try reserve(cost), pin: new, salt: salt)
            let kek = try keyParts(device, row.id).wrappingKey(
                boxSecret: file.key, pinHash: pinHash.bytes, deviceSecret: deviceSecret.bytes)
            let wrapped = try CredentialRow.wrapPlace(row.id).seal(key.bytes, key: kek)
            let changed = try database.run(
                """
                UPDATE credentials SET wrapped_key = ?, salt = ?, memory_kib = ?, passes = ?
                WHERE id = ? AND wrapped_key IS NOT NULL
                """,
                .blob(wrapped), .blob(salt), .integer(Int64(cost.memoryKiB)), .integer(Int64(cost.passes)),
                .blob(row.id))
            guard changed == 1 else { return .wiped }
            try database.truncateLog()
            return nil
        }
    }

    /// Destroys what a device stored here; false when there was nothing.
    @discardableResult
    public func wipe(_ device: DeviceID) throws(VaultError) -> Bool {
        try BoxCredentialRows.wipe(in: database, device: device)
    }

    /// The user's password changed: what is stored no longer fits. Returns the devices it concerns.
    public func markStale(user: [UInt8]) throws(VaultError) -> [DeviceID] {
        let devices = try devices(of: user).filter { $0.mode == .boxHeld && $0.state == .active }
        var marked: [DeviceID] = []
        for record in devices {
            let changed = try database.run(
                "UPDATE credentials SET stale = 1 WHERE device = ? AND stale = 0", .blob(record.id.bytes))
            if changed > 0 { marked.append(record.id) }
        }
        return marked
    }

    /// Nil when nothing is stored.
    public func credentialState(_ device: DeviceID) throws(VaultError) -> CredentialState? {
        guard let row = try CredentialRow.read(database, device: device), row.wrappedKey != nil else { return nil }
        return CredentialState(attemptsLeft: UInt8(max(0, PINAttempts.limit - row.attempts)), stale: row.stale)
    }

    // MARK: - One try

    private enum Attempt {
        case refused(CredentialOutcome)
        case unlocked(CredentialRow, HeldSecret)
    }

    private func attempt(
        _ device: DeviceID, _ pin: HeldSecret, _ deviceSecret: HeldSecret
    ) async throws(VaultError) -> Attempt {
        guard let row = try CredentialRow.read(database, device: device) else { return .refused(.noCredential) }
        guard row.wrappedKey != nil, row.attempts < PINAttempts.limit else {
            try wipe(device)
            return .refused(.wiped)
        }
        if let seconds = try remainingLockout(row) { return .refused(.lockedOut(seconds: seconds)) }
        // Memory first: running out of it must not cost a try.
        let reservation = try reserve(row.cost)
        let spent = try spend(row)
        let pinHash = try await hasher.hash(reservation, pin: pin, salt: row.salt)
        // The credential may have been wiped or revoked while the hash ran.
        guard let current = try CredentialRow.read(database, device: device), current.id == row.id,
            let wrapped = current.wrappedKey
        else { return .refused(.wiped) }
        let kek = try keyParts(device, row.id).wrappingKey(
            boxSecret: file.key, pinHash: pinHash.bytes, deviceSecret: deviceSecret.bytes)
        guard let key = CredentialRow.wrapPlace(row.id).open(wrapped, key: kek) else {
            guard spent < PINAttempts.limit else {
                try wipe(device)
                return .refused(.wiped)
            }
            return .refused(.pinWrong(attemptsLeft: UInt8(PINAttempts.limit - spent)))
        }
        try database.run(
            "UPDATE credentials SET attempts = 0, lockout_boot = NULL, lockout_until = NULL WHERE id = ?",
            .blob(row.id))
        return .unlocked(current, HeldSecret(key))
    }

    /// Writes the try down: exactly one durable transaction. The new count.
    private func spend(_ row: CredentialRow) throws(VaultError) -> Int {
        let spent = row.attempts + 1
        let delay = delaysWrongPINs ? PINAttempts.delay(after: spent) : 0
        let until: Int64? = delay > 0 ? nanoseconds(clock.sinceBoot + .seconds(delay)) : nil
        let changed = try database.run(
            "UPDATE credentials SET attempts = ?, lockout_boot = ?, lockout_until = ? WHERE id = ? AND attempts = ?",
            .integer(Int64(spent)), .optional(until == nil ? nil : clock.bootID), .optional(until), .blob(row.id),
            .integer(Int64(row.attempts)))
        guard changed == 1 else { throw .notFound(what: "credential") }
        return spent
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

    private func reserve(_ cost: PasswordHashCost) throws(VaultError) -> PasswordHash.Reservation {
        do {
            return try PasswordHash.reserve(cost)
        } catch {
            throw .outOfMemory
        }
    }

    private func keyParts(_ device: DeviceID, _ credential: [UInt8]) -> CredentialKeyParts {
        CredentialKeyParts(boxID: boxID, device: device, credential: credential)
    }

    private func takeTurn(_ device: DeviceID) async {
        guard !turns.take(device) else { return }
        await withCheckedContinuation { turns.wait(device, $0) }
    }

    func nanoseconds(_ time: Duration) -> Int64 {
        let parts = time.components
        return parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
    }
}
