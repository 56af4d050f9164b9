import AuditLog
import Names
import VaultPort

/// The users of devices, as the user database names and numbers them (docs/decisions/057-user-names.md).
extension BoxVault {
    public func numbers(of device: DeviceID) throws(VaultError) -> UserNumbers {
        let found = try database.first("SELECT uid, other_uid FROM devices WHERE id = ?", [.blob(device.bytes)]) {
            UserNumbers(uid: $0.optionalInteger(0), other: $0.optionalInteger(1))
        }
        return found ?? UserNumbers(uid: nil, other: nil)
    }

    /// Returns a user with a refused device, or nil if there is none.
    public func refusedUser() throws(VaultError) -> [UInt8]? {
        try database.first("SELECT user FROM devices WHERE other_uid IS NOT NULL AND state = 1") { $0.bytes(0) }
    }

    /// Returns the active devices of a user that are refused, as far as the vault knows.
    public func refused(of user: [UInt8]) throws(VaultError) -> [DeviceID] {
        var refused: [DeviceID] = []
        for record in try devices(of: user) where record.state == .active {
            if try numbers(of: record.id).other != nil { refused.append(record.id) }
        }
        return refused
    }

    /// Compares the devices of `user` with an answer of the user database: the account's name and number.
    ///
    /// Devices with that number, or without one, get both. Devices with another number are refused until the user
    /// database answers their number again, or the administrator confirms the new one. No entry of the audit log has a
    /// number, because entries go to the site, and another box may give the account another number.
    public func compare(_ user: [UInt8], as name: [UInt8], uid: UInt32) throws(VaultError) -> UserComparison {
        var result = UserComparison()
        var changes: [(record: DeviceRecord, known: UserNumbers)] = []
        let uid = Int64(uid)
        for spelling in name == user ? [user] : [user, name] {
            for record in try devices(of: spelling) {
                let (known, isActive) = (try numbers(of: record.id), record.state == .active)
                if known.uid == nil || known.uid == uid {
                    result.accepted.append(record.id)
                    if isActive { result.now += 1 }
                    guard record.user != name || known.uid == nil || known.other != nil else { continue }
                } else {
                    guard isActive else { continue }
                    result.others.append(record.id)
                    guard known.other != uid else { continue }
                }
                changes.append((record, known))
            }
        }
        // Most answers change nothing. They open no transaction.
        guard !changes.isEmpty else { return result }
        try recording { () throws(VaultError) in
            var events: [AuditEvent] = []
            for (record, known) in changes { try write(record, known, name, uid, &result, &events) }
            return events
        }
        return result
    }

    private func write(
        _ record: DeviceRecord, _ known: UserNumbers, _ name: [UInt8], _ uid: Int64, _ result: inout UserComparison,
        _ events: inout [AuditEvent]
    ) throws(VaultError) {
        guard known.uid == nil || known.uid == uid else {
            try database.run("UPDATE devices SET other_uid = ? WHERE id = ?", .integer(uid), .blob(record.id.bytes))
            // One entry for each device and start, so that a user database that wavers cannot fill the log.
            guard refusedUsers.insert(record.id).inserted else { return }
            result.refuses = true
            return events.append(Self.event(.userNumber, record, "refused: the account has another number now"))
        }
        try setNumber(record, name, uid)
        if record.user != name {
            if record.state == .active { result.renamed += 1 }
            events.append(Self.event(.userRenamed, record, "", name))
        }
        if known.uid == nil { events.append(Self.event(.userNumber, record, "recorded", name)) }
    }

    /// Gives the refused devices of `user` the account's new number, because the administrator says that it is still
    /// the same person. Returns their count.
    public func confirm(_ user: [UInt8], uid: UInt32, by actor: AuditActor) throws(VaultError) -> Int {
        var count = 0
        try recording { () throws(VaultError) in
            var events: [AuditEvent] = []
            for id in try refused(of: user) {
                guard let record = try device(id) else { continue }
                try setNumber(record, user, Int64(uid))
                count += 1
                events.append(
                    Self.event(.userNumber, record, "confirmed: the same person has a new number", by: actor))
            }
            return events
        }
        return count
    }

    private func setNumber(_ record: DeviceRecord, _ name: [UInt8], _ uid: Int64) throws(VaultError) {
        try database.run(
            "UPDATE devices SET user = ?, uid = ?, other_uid = NULL WHERE id = ?", .blob(name), .integer(uid),
            .blob(record.id.bytes))
        guard record.user != name else { return }
        // Removes the record first: its length in memory is fixed, and depends on the name.
        directory.remove(record.publicKey)
        try refresh(record.id)
    }

    /// - Parameter detail: If empty, the entry says which name the user had.
    private static func event(
        _ kind: AuditEvent.Kind, _ record: DeviceRecord, _ detail: String, _ name: [UInt8]? = nil,
        by actor: AuditActor = .agent
    ) -> AuditEvent {
        let text = detail.isEmpty ? Array("was ".utf8) + record.user : Array(detail.utf8)
        return AuditEvent(kind: kind, user: name ?? record.user, device: record.id, actor: actor, detail: text)
    }
}
