import VaultPort

/// Refused passwords of a box or site row, whether the phone, the box or the site stores them.
extension PhoneVault {
    /// Returns when the password of a box or site row was refused, in seconds since 1970; nil if no refusal is known.
    public func refusal(of id: [UInt8]) throws(VaultError) -> Int64? {
        try database.first(
            """
            SELECT refused_at FROM phone_boxes WHERE id = ?1 AND refused_at IS NOT NULL
            UNION ALL SELECT refused_at FROM phone_sites WHERE id = ?1 AND refused_at IS NOT NULL
            """, [.blob(id)]
        ) { $0.integer(0) }
    }

    /// Notes that the row's password was refused now, or that it was accepted or replaced.
    public func noteRefusal(of id: [UInt8], isRefused: Bool) throws(VaultError) {
        let time: SQLValue = isRefused ? .integer(clock.unixSeconds) : .null
        try database.transaction { () throws(VaultError) in
            try database.run("UPDATE phone_boxes SET refused_at = ? WHERE id = ?", time, .blob(id))
            try database.run("UPDATE phone_sites SET refused_at = ? WHERE id = ?", time, .blob(id))
        }
    }
}
