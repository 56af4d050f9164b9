import VaultPort

/// The history of the password of a box or site row, whether the phone, the box or the site stores it.
extension PhoneVault {
    public func passwordHistory(of id: [UInt8]) throws(VaultError) -> PasswordHistory {
        try database.first(
            """
            SELECT refused_at, unknown_sends FROM phone_boxes WHERE id = ?1
            UNION ALL SELECT refused_at, unknown_sends FROM phone_sites WHERE id = ?1
            """, [.blob(id)]
        ) { PasswordHistory(refusedAt: $0.optionalInteger(0), unknown: Int(clamping: $0.integer(1))) }
            ?? PasswordHistory()
    }

    public func notePassword(of id: [UInt8], _ note: PasswordNote) throws(VaultError) {
        try database.transaction { () throws(VaultError) in
            let new = try passwordHistory(of: id).after(note, at: clock.unixSeconds)
            let (time, count) = (
                new.refusedAt.map { SQLValue.integer($0) } ?? .null, SQLValue.integer(Int64(new.unknown))
            )
            try database.run(
                "UPDATE phone_boxes SET refused_at = ?, unknown_sends = ? WHERE id = ?", time, count, .blob(id))
            try database.run(
                "UPDATE phone_sites SET refused_at = ?, unknown_sends = ? WHERE id = ?", time, count, .blob(id))
        }
    }
}
