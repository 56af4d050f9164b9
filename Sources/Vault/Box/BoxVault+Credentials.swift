import PasswordHashing
import AuditLog
import Names
import Secrets
import VaultPort

/// Box-held credentials (docs/decisions/008-vault.md). Only the authenticated device that owns a credential can store,
/// open or change it.
extension BoxVault {
    /// Stores a credential under a new key. The same transaction destroys the old key and writes the audit entry. PIN:
    /// 1 to 128 bytes; device secret: 32; credential: 1 to 511 bytes without a zero.
    public func storeCredential(
        device: DeviceID, pin: HeldSecret, deviceSecret: HeldSecret, credential: HeldSecret
    ) async throws(VaultError) {
        try SecretBounds.check(pin: pin)
        try SecretBounds.check(deviceSecret: deviceSecret)
        try SecretBounds.check(credential: credential)
        try await takeTurn(device)
        defer { turns.end(device) }
        try requireBoxHeld(device)
        let id = randomBytes(count: CredentialRow.idBytes)
        let salt = randomBytes(count: PasswordHash.saltBytes)
        let cost = cost
        let pinHash = try await hasher.hash(try await hasher.reserve(cost), pin: pin, salt: salt)
        let key = SecretBytes(randomCount: 32)
        let kek = try keyParts(device, id).wrappingKey(
            boxSecret: file.secret, pinHash: pinHash.bytes, deviceSecret: deviceSecret.bytes)
        let wrapped = try CredentialRow.wrapPlace(id).seal(key, key: kek)
        let sealed = try CredentialRow.sealPlace(id).seal(PaddedCredential.pad(credential.bytes), key: key)
        try recording { () throws(VaultError) in
            // The device may have been revoked during the hash.
            let record = try requireBoxHeld(device)
            try database.run("DELETE FROM credentials WHERE device = ?", .blob(device.bytes))
            try database.run(
                """
                INSERT INTO credentials (id, device, salt, memory_kib, passes, wrapped_key, sealed)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                .blob(id), .blob(device.bytes), .blob(salt), .integer(Int64(cost.memoryKiB)),
                .integer(Int64(cost.passes)), .blob(wrapped), .blob(sealed))
            try database.run("UPDATE devices SET wiped = 0 WHERE id = ?", .blob(device.bytes))
            return [
                AuditEvent(kind: .credentialStored, user: record.user, device: device, actor: .phone(device))
            ]
        }
        try database.truncateLog()
    }

    /// Tries a PIN and opens the credential. One try is spent, durably, before the PIN is checked.
    public func openCredential(
        device: DeviceID, pin: HeldSecret, deviceSecret: HeldSecret
    ) async throws(VaultError) -> CredentialOutcome {
        try SecretBounds.check(pin: pin)
        try SecretBounds.check(deviceSecret: deviceSecret)
        try await takeTurn(device)
        defer { turns.end(device) }
        switch try await attempt(device, pin, deviceSecret) {
        case .refused(let outcome): return outcome
        case .unlocked(let row, let key):
            guard !row.stale else { return .stale }
            guard let padded = CredentialRow.sealPlace(row.id).open(row.sealed, key: key.bytes),
                let credential = PaddedCredential.unpad(padded)
            else { throw .wrongKey(what: "the stored credential") }
            return .opened(HeldSecret(credential))
        }
    }

    /// Changes the PIN and writes the audit entry; returns nil on success. The old PIN counts as a try, and a crash may
    /// leave that try spent. The new PIN gets a new salt.
    public func changePIN(
        device: DeviceID, old: HeldSecret, new: HeldSecret, deviceSecret: HeldSecret
    ) async throws(VaultError) -> CredentialOutcome? {
        try SecretBounds.check(pin: old)
        try SecretBounds.check(pin: new)
        try SecretBounds.check(deviceSecret: deviceSecret)
        try await takeTurn(device)
        defer { turns.end(device) }
        switch try await attempt(device, old, deviceSecret) {
        case .refused(let outcome): return outcome
        case .unlocked(let row, let key):
            let salt = randomBytes(count: PasswordHash.saltBytes)
            let cost = cost
            let pinHash = try await hasher.hash(try await hasher.reserve(cost), pin: new, salt: salt)
            let kek = try keyParts(device, row.id).wrappingKey(
                boxSecret: file.secret, pinHash: pinHash.bytes, deviceSecret: deviceSecret.bytes)
            let wrapped = try CredentialRow.wrapPlace(row.id).seal(key.bytes, key: kek)
            let user = try self.device(device)?.user
            var changed = 0
            try recording { () throws(VaultError) in
                changed = try database.run(
                    """
                    UPDATE credentials SET wrapped_key = ?, salt = ?, memory_kib = ?, passes = ?
                    WHERE id = ? AND wrapped_key IS NOT NULL
                    """,
                    .blob(wrapped), .blob(salt), .integer(Int64(cost.memoryKiB)), .integer(Int64(cost.passes)),
                    .blob(row.id))
                guard changed == 1 else { return [] }
                return [AuditEvent(kind: .pinChanged, user: user, device: device, actor: .phone(device))]
            }
            guard changed == 1 else { return .wiped }
            try database.truncateLog()
            return nil
        }
    }

    /// Destroys a device's stored credential and all damaged databases that were set aside, and writes the audit entry.
    /// Returns false if the device had no credential, or it was already destroyed.
    @discardableResult
    public func wipe(
        _ device: DeviceID, by actor: AuditActor = .agent, reason: String = ""
    ) throws(VaultError) -> Bool {
        try !wipe([device], by: actor, reason: reason).isEmpty
    }

    /// Wipes the credentials of several devices at one moment, and returns the devices that had a credential.
    public func wipe(
        _ devices: [DeviceID], by actor: AuditActor, reason: String
    ) throws(VaultError) -> [DeviceID] {
        var found: [DeviceID] = []
        try recording { () throws(VaultError) in
            var events: [AuditEvent] = []
            for device in devices where try CredentialErasure.destroyKey(in: database, device: device) {
                found.append(device)
                events.append(
                    AuditEvent(
                        kind: .credentialWiped, user: try self.device(device)?.user, device: device, actor: actor,
                        detail: Array(reason.utf8)))
            }
            return events
        }
        for device in devices { try CredentialErasure.finish(in: file, device: device) }
        return found
    }

    /// Destroys damaged databases that were set aside, when no device is left to wipe. Returns the names of their
    /// files.
    @discardableResult
    public func destroySetAside() throws(VaultError) -> [String] {
        try file.directory.destroySetAside()
    }

    /// Returns the names of damaged databases that were set aside.
    public func setAside() throws(VaultError) -> [String] {
        try file.directory.setAsideNames()
    }

    /// Marks the user's stored credentials as stale after a password change, and returns the devices.
    public func markStale(user: [UInt8]) throws(VaultError) -> [DeviceID] {
        let devices = try devices(of: user).filter { $0.mode == .boxHeld && $0.state == .active }
        return try database.transaction { () throws(VaultError) in
            var marked: [DeviceID] = []
            for record in devices {
                let changed = try database.run(
                    "UPDATE credentials SET stale = 1 WHERE device = ? AND stale = 0", .blob(record.id.bytes))
                if changed > 0 { marked.append(record.id) }
            }
            return marked
        }
    }

    /// Returns nil if no credential is stored.
    public func credentialState(_ device: DeviceID) throws(VaultError) -> CredentialState? {
        guard let row = try CredentialRow.read(database, device: device), row.wrappedKey != nil else { return nil }
        return CredentialState(attemptsLeft: attemptPolicy.left(row.attempts), stale: row.stale)
    }

    @discardableResult
    private func requireBoxHeld(_ id: DeviceID) throws(VaultError) -> DeviceRecord {
        guard let record = try device(id), record.state == .active else { throw .notFound(what: "device") }
        guard record.mode == .boxHeld else {
            throw .invalid(what: "this phone was enrolled to hold its credential itself; enrol it with --box-held")
        }
        return record
    }
}
