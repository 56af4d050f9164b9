import AuditLog
import Names
import VaultPort

/// Crypto-erase, in this order: wrapped key (durably), damaged databases, row, log (docs/decisions/008-vault.md).
///
/// After a crash, a row may have a NULL wrapped key; such a row only waits to be deleted.
enum CredentialErasure {
    /// First step, part of the caller's transaction: destroys the key of the device's credential. Returns whether there
    /// was one; a destroyed key does not count.
    static func destroyKey(in database: Database, device: DeviceID) throws(VaultError) -> Bool {
        // secure_delete overwrites the bytes that the shorter row leaves in its page.
        let found = try database.run(
            """
            UPDATE credentials SET wrapped_key = NULL, sealed = zeroblob(length(sealed))
            WHERE device = ? AND wrapped_key IS NOT NULL
            """, .blob(device.bytes))
        guard found > 0 else { return false }
        // The phone learns of the wipe at its next try, even if no message reaches it now.
        try database.run("UPDATE devices SET wiped = 1 WHERE id = ?", .blob(device.bytes))
        return true
    }

    /// Performs the remaining steps.
    static func finish(in file: borrowing VaultFile, device: DeviceID) throws(VaultError) {
        // Comes before the deletion of the row: while the row exists, the next start completes work that a crash
        // interrupted.
        try file.directory.destroySetAside()
        try file.database.run("DELETE FROM credentials WHERE device = ?", .blob(device.bytes))
        try file.database.truncateLog()
    }

    /// At the start, completes interrupted wipes and wipes credentials whose last try was spent, with an audit entry.
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
