import AuditLog
import Names
import VaultPort

/// Enrolled devices.
extension BoxVault {
    /// Enrols a device in one durable transaction with the audit entry; the device may then log in. Public key: 32
    /// bytes; user: 1 to 255 bytes without a zero; label: cut at 64. A device is stored only after the administrator's
    /// confirmation.
    public func enrol(
        publicKey: [UInt8], user: [UInt8], label: [UInt8], mode: CredentialMode, isWeb: Bool = false,
        uid: UInt32? = nil, by actor: AuditActor = .agent
    ) throws(VaultError) -> DeviceRecord {
        guard publicKey.count == 32, (1...255).contains(user.count), !user.contains(0) else {
            throw .invalid(what: "a device needs a key of 32 bytes and a user name of 1 to 255 bytes")
        }
        guard try device(publicKey: publicKey) == nil else { throw .alreadyEnrolled }
        let id = DeviceID()
        try recording { () throws(VaultError) in
            try database.run(
                """
                INSERT INTO devices (id, public_key, user, label, mode, web, state, enrolled_at, uid)
                VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?)
                """,
                .blob(id.bytes), .blob(publicKey), .blob(user), .blob(Array(label.prefix(64))),
                .integer(Int64(mode.rawValue)), .integer(isWeb ? 1 : 0), .integer(clock.unixSeconds),
                .optional(uid.map { Int64($0) }))
            return [AuditEvent(kind: .deviceEnrolled, user: user, device: id, actor: actor)]
        }
        guard let record = try device(id) else { throw .notFound(what: "device") }
        directory.update(record)
        return record
    }

    public func device(_ id: DeviceID) throws(VaultError) -> DeviceRecord? {
        try database.first(
            """
            SELECT id, public_key, user, label, mode, state, enrolled_at, last_used_at, web, site FROM devices WHERE id = ?
            """, [.blob(id.bytes)]
        ) { (row) throws(VaultError) in try DeviceRecord(row) }
    }

    /// Finds a device by public key, as fast among 100,000 devices as among ten.
    public func device(publicKey: [UInt8]) throws(VaultError) -> DeviceRecord? {
        directory[publicKey]
    }

    /// Updates the directory in memory after a committed change of a device.
    func refresh(_ id: DeviceID) throws(VaultError) {
        guard let record = try device(id) else { throw .notFound(what: "device") }
        directory.update(record)
    }

    /// Returns all devices, including revoked ones, oldest first.
    public func devices() throws(VaultError) -> [DeviceRecord] {
        try database.rows(
            """
            SELECT id, public_key, user, label, mode, state, enrolled_at, last_used_at, web, site FROM devices
            ORDER BY enrolled_at, id
            """
        ) { (row) throws(VaultError) in try DeviceRecord(row) }
    }

    public func devices(of user: [UInt8]) throws(VaultError) -> [DeviceRecord] {
        try database.rows(
            """
            SELECT id, public_key, user, label, mode, state, enrolled_at, last_used_at, web, site FROM devices
            WHERE user = ? ORDER BY enrolled_at, id
            """, [.blob(user)]
        ) { (row) throws(VaultError) in try DeviceRecord(row) }
    }

    /// Returns the devices whose ID is `text` or begins with it.
    public func devices(matching text: [UInt8]) throws(VaultError) -> [DeviceRecord] {
        guard let (first, last) = DeviceID.range(beginningWith: text) else { return [] }
        return try database.rows(
            """
            SELECT id, public_key, user, label, mode, state, enrolled_at, last_used_at, web, site FROM devices
            WHERE id BETWEEN ? AND ? ORDER BY enrolled_at, id
            """, [.blob(first), .blob(last)]
        ) { (row) throws(VaultError) in try DeviceRecord(row) }
    }

    public func activeDeviceCount() throws(VaultError) -> Int {
        Int(try database.integer("SELECT count(*) FROM devices WHERE state = 1") ?? 0)
    }

    public func noteUse(of device: DeviceID) throws(VaultError) {
        try database.run(
            "UPDATE devices SET last_used_at = ? WHERE id = ?", .integer(clock.unixSeconds), .blob(device.bytes))
        try refresh(device)
    }

    /// Revokes devices permanently, all or none, with an audit entry for each. Their stored credentials cannot be
    /// opened from that moment. A site phone is also barred here, so that no grant admits it again.
    @discardableResult
    public func revoke(_ devices: [DeviceID], by actor: AuditActor = .agent) throws(VaultError) -> Revocation {
        var stored: [DeviceID] = []
        try recording { () throws(VaultError) in
            var events: [AuditEvent] = []
            for id in devices {
                guard let record = try device(id) else { throw .notFound(what: "device") }
                try database.run("UPDATE devices SET state = 2 WHERE id = ?", .blob(id.bytes))
                try clearDeadlines(of: id)
                if record.isOfSite {
                    try database.run("DELETE FROM site_phones WHERE device = ?", .blob(id.bytes))
                    try database.run(
                        "INSERT OR IGNORE INTO site_barred (public_key) VALUES (?)", .blob(record.publicKey))
                }
                if try CredentialErasure.destroyKey(in: database, device: id) { stored.append(id) }
                events.append(AuditEvent(kind: .deviceRevoked, user: record.user, device: id, actor: actor))
            }
            return events
        }
        // Updates the directory before any step that can fail: from here on, the devices are refused.
        for id in devices { try refresh(id) }
        var unfinished: VaultError?
        for id in stored {
            do { try CredentialErasure.finish(in: file, device: id) } catch { unfinished = error }
        }
        do { try file.directory.destroySetAside() } catch { unfinished = error }
        return Revocation(unfinished: unfinished)
    }
}
