import Secrets
import VaultPort

/// The key of the phone's credentials as it is stored, wrapped.
struct PhoneLockRow {
    let hasPIN: Bool
    let salt: [UInt8]
    let cost: PasswordHashCost
    let wrappedKey: [UInt8]?
    let attempts: Int

    static let place = SealedColumn(table: "phone_lock", column: "wrapped_key", row: [1])

    static func read(_ database: Database) throws(VaultError) -> PhoneLockRow? {
        try database.first("SELECT has_pin, salt, memory_kib, passes, wrapped_key, attempts FROM phone_lock") {
            (row) throws(VaultError) in
            guard let memory = UInt32(exactly: row.integer(2)), let passes = UInt32(exactly: row.integer(3)),
                let cost = try? PasswordHashCost(memoryKiB: memory, passes: passes)
            else { throw .damaged(keptAs: row.path) }
            return PhoneLockRow(
                hasPIN: row.integer(0) == 1, salt: row.bytes(1), cost: cost, wrappedKey: row.optionalBytes(4),
                attempts: Int(row.integer(5)))
        }
    }

    /// Destroys the key, then what it sealed, then the log; and damaged databases that were set aside.
    static func wipe(in file: borrowing VaultFile) throws(VaultError) {
        let database = file.database
        try database.run("UPDATE phone_lock SET wrapped_key = NULL")
        // Before the row goes: while it is there, the next start does what a crash kept from being done.
        try file.directory.destroySetAside()
        try database.transaction { () throws(VaultError) in
            try database.run("UPDATE phone_boxes SET credential = NULL")
            try database.run("DELETE FROM phone_lock")
        }
        try database.truncateLog()
    }

    static func finishWipe(in file: borrowing VaultFile) throws(VaultError) {
        guard let row = try read(file.database) else { return }
        if row.wrappedKey == nil || row.attempts >= PINAttempts.limit { try wipe(in: file) }
    }
}
