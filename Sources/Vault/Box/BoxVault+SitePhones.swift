import AuditLog
import Names
import VaultPort

/// Phones of the box's site, which grants admitted as devices.
extension BoxVault {
    public func sitePhones() throws(VaultError) -> [StoredSitePhone] {
        try database.rows(
            """
            SELECT id, public_key, user, kept FROM site_phones JOIN devices ON id = device WHERE state = 1 ORDER BY id
            """
        ) { (row) throws(VaultError) in
            guard let device = DeviceID(bytes: row.bytes(0)) else { throw .damaged(keptAs: row.path) }
            return StoredSitePhone(device: device, publicKey: row.bytes(1), user: row.bytes(2), kept: row.bytes(3))
        }
    }

    /// Returns the keys of site phones that the administrator revoked at this box, ascending.
    public func barredSitePhones() throws(VaultError) -> [[UInt8]] {
        try database.rows("SELECT public_key FROM site_barred ORDER BY public_key") { $0.bytes(0) }
    }

    /// Makes the phone a device, or replaces its grant, in one durable transaction. Beyond `limit`, removes the phones
    /// seen longest ago, except those that own a session or are in `sparing`.
    func admitSitePhone(
        _ phone: StoredSitePhone, sparing: [DeviceID], limit: Int = StoredSitePhone.limit
    ) throws(VaultError) -> (device: DeviceRecord, gone: [DeviceID]) {
        guard !(try barredSitePhones().contains(phone.publicKey)) else { throw .alreadyEnrolled }
        let known = try device(phone.device)
        if let known {
            guard known.isOfSite, known.publicKey == phone.publicKey, known.user == phone.user else {
                throw .alreadyEnrolled
            }
        } else if let other = try device(publicKey: phone.publicKey), other.id != phone.device {
            throw .alreadyEnrolled
        }
        var gone: [DeviceRecord] = []
        try recording { () throws(VaultError) in
            let now = clock.unixSeconds
            let uid = SQLValue.optional(phone.uid.map { Int64($0) })
            if known == nil {
                try database.run(
                    """
                    INSERT INTO devices (id, public_key, user, label, mode, site, state, enrolled_at, uid)
                    VALUES (?, ?, ?, ?, ?, 1, 1, ?, ?)
                    """,
                    .blob(phone.device.bytes), .blob(phone.publicKey), .blob(phone.user),
                    .blob(StoredSitePhone.label), .integer(Int64(CredentialMode.phoneHeld.rawValue)), .integer(now), uid
                )
            } else if known?.state != .active {
                // A new grant after a revocation is for the account that has the name now.
                try database.run(
                    "UPDATE devices SET state = 1, uid = ?, other_uid = NULL WHERE id = ?", uid,
                    .blob(phone.device.bytes))
            }
            try database.run(
                "INSERT OR REPLACE INTO site_phones (device, kept, came_at) VALUES (?, ?, ?)",
                .blob(phone.device.bytes), .blob(phone.kept), .integer(now))
            gone = try makeRoom(sparing: sparing + [phone.device], limit: limit)
            guard known?.state != .active else { return [] }
            return [Self.event(.deviceEnrolled, phone.user, phone.device, "admitted by a grant of its site")]
        }
        for record in gone { try settle(record.id, publicKey: record.publicKey) }
        guard let record = try device(phone.device) else { throw .notFound(what: "device") }
        directory.update(record)
        return (record, gone.map(\.id))
    }

    /// Removes phones that the site revoked. Those in `owning` stay as revoked devices.
    func dropSitePhones(_ ids: [DeviceID], owning: [DeviceID]) throws(VaultError) {
        var dropped: [DeviceRecord] = []
        try recording { () throws(VaultError) in
            var events: [AuditEvent] = []
            for id in ids {
                guard let record = try device(id), record.isOfSite, record.state == .active else { continue }
                try removeSitePhone(id, keepingDevice: owning.contains(id))
                events.append(Self.event(.deviceRevoked, record.user, id, "revoked by its site"))
                dropped.append(record)
            }
            return events
        }
        for record in dropped { try settle(record.id, publicKey: record.publicKey) }
    }

    /// Updates the directory in memory after a committed change of a device, which may be deleted.
    func settle(_ id: DeviceID, publicKey: [UInt8]) throws(VaultError) {
        if let record = try device(id) {
            directory.update(record)
        } else {
            directory.remove(publicKey)
        }
    }

    /// Removes a site phone, as part of a transaction. A device that owns a session is only revoked; a later start
    /// deletes it.
    func removeSitePhone(_ id: DeviceID, keepingDevice: Bool) throws(VaultError) {
        let sessions = try database.first("SELECT count(*) FROM sessions WHERE device = ?", [.blob(id.bytes)]) {
            $0.integer(0)
        }
        try database.run("DELETE FROM site_phones WHERE device = ?", .blob(id.bytes))
        try clearDeadlines(of: id)
        try database.run("UPDATE devices SET state = 2 WHERE id = ?", .blob(id.bytes))
        if !keepingDevice, sessions == 0 { try Self.removeDevice(id, in: database) }
    }

    /// At the start, deletes revoked site devices whose sessions have ended.
    static func forgetGoneSitePhones(in file: borrowing VaultFile) throws(VaultError) {
        let gone = try file.database.rows(
            """
            SELECT id FROM devices WHERE site = 1 AND state = 2 AND id NOT IN (SELECT device FROM sessions)
            """
        ) { DeviceID(bytes: $0.bytes(0)) }
        let database = file.database
        for case let id? in gone {
            try database.transaction { () throws(VaultError) in try removeDevice(id, in: database) }
        }
    }

    private static func event(
        _ kind: AuditEvent.Kind, _ user: [UInt8], _ device: DeviceID, _ detail: String
    ) -> AuditEvent {
        AuditEvent(kind: kind, user: user, device: device, actor: .agent, detail: Array(detail.utf8))
    }

    private static func removeDevice(_ id: DeviceID, in database: Database) throws(VaultError) {
        for statement: StaticString in [
            "DELETE FROM deadlines WHERE device = ?", "DELETE FROM presence_thresholds WHERE device = ?",
            "DELETE FROM presence_watched WHERE device = ?", "DELETE FROM devices WHERE id = ?",
        ] {
            try database.run(statement, .blob(id.bytes))
        }
    }

    /// Removes as many phones as exceed the limit, as part of a transaction.
    private func makeRoom(sparing: [DeviceID], limit: Int) throws(VaultError) -> [DeviceRecord] {
        let count = Int(try database.integer("SELECT count(*) FROM site_phones") ?? 0)
        guard count > limit else { return [] }
        let candidates = try database.rows(
            """
            SELECT device FROM site_phones JOIN devices ON id = device
            WHERE device NOT IN (SELECT device FROM sessions)
            ORDER BY max(came_at, coalesce(last_used_at, 0)), device LIMIT ?
            """, [.integer(Int64(count - limit + sparing.count))]
        ) { DeviceID(bytes: $0.bytes(0)) }
        let leaving = candidates.compactMap(\.self).filter { !sparing.contains($0) }.prefix(count - limit)
        // All phones are present or own sessions. This case is very unlikely, and does not justify the removal of a
        // phone.
        guard leaving.count == count - limit else { throw .busy }
        var gone: [DeviceRecord] = []
        for id in leaving {
            guard let record = try device(id) else { continue }
            try removeSitePhone(id, keepingDevice: false)
            gone.append(record)
        }
        return gone
    }
}
