import Secrets

/// The key of the phone's credentials as it is stored, wrapped.
struct PhoneLockRow {
    let hasPIN: Bool
    let salt: [UInt8]
    let cost: PasswordHashCost
    let wrappedKey: [UInt8]?
    let attempts: Int

    static let place = SealedColumn(table: "phone_lock", column: "wrapped_key", row: [1])

    static func read(_ database: Database) throws(VaultError) -> PhoneLockRow? {
        try database.rows(
            "SELECT has_pin, salt, memory_kib, passes, wrapped_key, attempts FROM phone_lock", limit: 1
        ) { (row) throws(VaultError) in
            guard let cost = try? PasswordHashCost(memoryKiB: UInt32(row.integer(2)), passes: UInt32(row.integer(3)))
            else { throw .damaged(keptAs: "phone_lock") }
            return PhoneLockRow(
                hasPIN: row.integer(0) == 1, salt: row.bytes(1), cost: cost, wrappedKey: row.optionalBytes(4),
                attempts: Int(row.integer(5)))
        }.first
    }

    /// Destroys the key, then what it sealed, then the log.
    static func wipe(in database: Database) throws(VaultError) {
        try database.run("UPDATE phone_lock SET wrapped_key = NULL")
        try database.transaction { () throws(VaultError) in
            try database.run("UPDATE phone_boxes SET credential = NULL")
            try database.run("DELETE FROM phone_lock")
        }
        try database.truncateLog()
    }

    static func finishWipe(in database: Database) throws(VaultError) {
        guard let row = try read(database) else { return }
        if row.wrappedKey == nil || row.attempts >= PINAttempts.limit { try wipe(in: database) }
    }
}
