import AuditLog
import Names
import VaultPort

/// The users of devices, as the user database names and numbers them (docs/decisions/057-user-names.md).
extension BoxVault {
    /// Compares the devices of `user` with an answer of the user database: the account's name and number.
    ///
    /// Devices with that number, or without one, get both. Devices with another number are refused until the user
    /// database answers their number again, or the administrator confirms the new one. No entry of the audit log has a
    /// number, because entries go to the site, and another box may give the account another number.
    public func compare(_ user: [UInt8], as name: [UInt8], uid: UInt32) throws(VaultError) -> UserComparison {
        let stored = try devices(of: user) + (name == user ? [] : try devices(of: name))
        let theirs = stored.filter { $0.uid ?? uid == uid }
        let others = stored.filter { $0.uid ?? uid != uid && $0.state == .active }
        let settled = theirs.filter { $0.user != name || $0.uid == nil || $0.otherUID != nil }
        let refused = others.filter { $0.otherUID != uid }
        let result = UserComparison(
            accepted: theirs.map(\.id), others: others.map(\.id),
            renamed: theirs.count { $0.user != name && $0.state == .active },
            now: theirs.count { $0.state == .active }, refused: refused, again: theirs.filter { $0.otherUID != nil })
        guard !(settled + refused).isEmpty else { return result }
        try recording { () throws(VaultError) in
            var events: [AuditEvent] = []
            for record in settled {
                try setNumber(record, name: name, uid: uid)
                if record.user != name {
                    events.append(Self.event(.userRenamed, record, name, .agent, Array("was ".utf8) + record.user))
                }
                if record.uid == nil {
                    events.append(Self.event(.userNumber, record, name, .agent, Array("recorded".utf8)))
                }
            }
            for record in refused {
                try database.run(
                    "UPDATE devices SET other_uid = ? WHERE id = ?", .integer(Int64(uid)), .blob(record.id.bytes))
                // One entry for each device and start, so that a user database that wavers cannot fill the log.
                guard refusedUsers.insert(record.id).inserted else { continue }
                let detail = Array("refused: the account has another number now".utf8)
                events.append(Self.event(.userNumber, record, record.user, .agent, detail))
            }
            return events
        }
        try refresh(settled + refused)
        return result
    }

    /// Gives the refused devices of `user` the account's new number, because the administrator says that it is still
    /// the same person. Returns their count.
    public func confirm(_ user: [UInt8], uid: UInt32, by actor: AuditActor) throws(VaultError) -> Int {
        let others = try devices(of: user).filter { $0.uid ?? uid != uid && $0.state == .active }
        guard !others.isEmpty else { return 0 }
        try recording { () throws(VaultError) in
            for record in others { try setNumber(record, name: user, uid: uid) }
            return others.map {
                Self.event(.userNumber, $0, user, actor, Array("confirmed: the same person has a new number".utf8))
            }
        }
        try refresh(others)
        return others.count
    }

    private func setNumber(_ record: DeviceRecord, name: [UInt8], uid: UInt32) throws(VaultError) {
        try database.run(
            "UPDATE devices SET user = ?, uid = ?, other_uid = NULL WHERE id = ?", .blob(name), .integer(Int64(uid)),
            .blob(record.id.bytes))
    }

    private static func event(
        _ kind: AuditEvent.Kind, _ record: DeviceRecord, _ user: [UInt8], _ actor: AuditActor, _ detail: [UInt8]
    ) -> AuditEvent {
        AuditEvent(kind: kind, user: user, device: record.id, actor: actor, detail: detail)
    }

    private func refresh(_ changed: [DeviceRecord]) throws(VaultError) {
        for record in changed {
            // Removes the record first: its length in memory is fixed, and depends on the name.
            directory.remove(record.publicKey)
            try refresh(record.id)
        }
    }
}
