import PasswordHashing
import Secrets
import VaultPort

/// The stored, wrapped key of the phone's credentials.
struct PhoneLockRow {
    let hasPIN: Bool
    let salt: [UInt8]
    let cost: PasswordHashCost
    let wrappedKey: [UInt8]?
    /// The state never has a lockout, because the phone uses no delays.
    let attempts: AttemptState

    static let place = SealedColumn(table: "phone_lock", column: "wrapped_key", row: [1])

    static func read(_ database: Database) throws(VaultError) -> PhoneLockRow? {
        try database.first(
            "SELECT has_pin, salt, memory_kib, passes, wrapped_key, attempts, last_attempt FROM phone_lock"
        ) { (row) throws(VaultError) in
            guard let memory = UInt32(exactly: row.integer(2)), let passes = UInt32(exactly: row.integer(3)),
                let cost = try? PasswordHashCost(memoryKiB: memory, passes: passes),
                let attempts = AttemptState(
                    used: Int(row.integer(5)), isLast: row.integer(6) == 1, lockedUntil: nil)
            else { throw .damaged(keptAs: row.path) }
            return PhoneLockRow(
                hasPIN: row.integer(0) == 1, salt: row.bytes(1), cost: cost, wrappedKey: row.optionalBytes(4),
                attempts: attempts)
        }
    }

    /// Replaces the tries' old state by the new one, durably. Returns false if the stored state is not `old` or the key
    /// is gone.
    static func replaceAttempts(
        _ database: Database, _ old: AttemptState, by new: AttemptState
    ) throws(VaultError) -> Bool {
        try database.run(
            """
            UPDATE phone_lock SET attempts = ?, last_attempt = ?
            WHERE attempts = ? AND last_attempt = ? AND wrapped_key IS NOT NULL
            """,
            .integer(Int64(new.used)), .integer(new.isLast ? 1 : 0), .integer(Int64(old.used)),
            .integer(old.isLast ? 1 : 0)) == 1
    }

    /// Destroys the key, damaged databases that were set aside, the data that the key sealed, and the log.
    static func wipe(in file: borrowing VaultFile) throws(VaultError) {
        let database = file.database
        try database.run("UPDATE phone_lock SET wrapped_key = NULL")
        // Comes before the deletion of the row: while the row exists, the next start completes work that a crash
        // interrupted.
        try file.directory.destroySetAside()
        try database.transaction { () throws(VaultError) in
            try database.run("UPDATE phone_boxes SET credential = NULL")
            try database.run("UPDATE phone_sites SET credential = NULL")
            try database.run("DELETE FROM phone_lock")
        }
        try database.truncateLog()
    }

    static func finishWipe(in file: borrowing VaultFile) throws(VaultError) {
        guard let row = try read(file.database) else { return }
        if row.wrappedKey == nil || row.attempts.isLast { try wipe(in: file) }
    }
}
