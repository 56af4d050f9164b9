import AuditLog
import Names
import VaultPort

/// Crypto-erase: the wrapped key first, durably; then the rows; then the write-ahead log
/// (docs/decisions/008-vault.md); then damaged databases that were set aside.
///
/// A row whose wrapped key is NULL only waits to be deleted: that is what a crash on the way leaves.
enum CredentialErasure {
    /// The first step, for a transaction that does more: destroys the key of what the device stored. Whether there
    /// was one: what is destroyed already does not change.
    static func destroyKey(in database: Database, device: DeviceID) throws(VaultError) -> Bool {
        // secure_delete overwrites what the shorter row leaves behind in its page.
        let found = try database.run(
            """
            UPDATE credentials SET wrapped_key = NULL, sealed = zeroblob(length(sealed))
            WHERE device = ? AND wrapped_key IS NOT NULL
            """, .blob(device.bytes))
        guard found > 0 else { return false }
        // The phone hears of it at its next try, should nobody tell it now.
        try database.run("UPDATE devices SET wiped = 1 WHERE id = ?", .blob(device.bytes))
        return true
    }

    /// The other steps.
    static func finish(in file: borrowing VaultFile, device: DeviceID) throws(VaultError) {
        // Before the row goes: while it is there, the next start does what a crash kept from being done.
        try file.directory.destroySetAside()
        try file.database.run("DELETE FROM credentials WHERE device = ?", .blob(device.bytes))
        try file.database.truncateLog()
    }

    /// At the start: what a crash interrupted, and last tries that were spent, which get their entry with the wipe.
    static func finishAll(
        in file: borrowing VaultFile, unixSeconds: Int64, journal: (AuditHead, AuditEvent) -> Void
    ) throws(VaultError) {
        let due = try file.database.rows(
            "SELECT device, attempts FROM credentials WHERE wrapped_key IS NULL OR last_attempt = 1"
        ) { ($0.bytes(0), $0.integer(1)) }
        for (bytes, spent) in due {
            guard let device = DeviceID(bytes: bytes) else { throw .damaged(keptAs: file.database.path) }
            let event = AuditEvent(
                kind: .credentialWiped, user: nil, device: device, actor: .agent,
                detail: Array("\(spent) tries were spent".utf8))
            let head = try file.database.transaction { () throws(VaultError) -> AuditHead? in
                guard try destroyKey(in: file.database, device: device) else { return nil }
                return try AuditChain.write(event, unixSeconds: unixSeconds, in: file)
            }
            if let head { journal(head, event) }
            try finish(in: file, device: device)
        }
    }
}
