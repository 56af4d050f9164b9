/// Crypto-erase: the wrapped key first, durably; then the rows; then the write-ahead log (DESIGN section 7); then damaged
/// databases that were set aside.
///
/// A row whose wrapped key is NULL only waits to be deleted: that is what a crash on the way leaves.
enum CredentialErasure {
    /// The first step, for a transaction that does more: destroys the key of what the device stored. Whether there
    /// was anything.
    static func destroyKey(in database: Database, device: DeviceID) throws(VaultError) -> Bool {
        // secure_delete overwrites what the shorter row leaves behind in its page.
        let found = try database.run(
            "UPDATE credentials SET wrapped_key = NULL, sealed = zeroblob(length(sealed)) WHERE device = ?",
            .blob(device.bytes))
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

    /// All of it; whether there was anything to wipe.
    @discardableResult
    static func wipe(in file: borrowing VaultFile, device: DeviceID) throws(VaultError) -> Bool {
        let database = file.database
        let found = try database.transaction { () throws(VaultError) in
            try destroyKey(in: database, device: device)
        }
        if found { try finish(in: file, device: device) } else { try file.directory.destroySetAside() }
        return found
    }

    /// At the start: what a crash interrupted, and ten spent tries. The devices whose tenth try was the reason.
    static func finishAll(in file: borrowing VaultFile) throws(VaultError) -> [DeviceID] {
        let database = file.database
        let due = try database.rows(
            """
            SELECT device, wrapped_key IS NOT NULL FROM credentials WHERE wrapped_key IS NULL OR attempts >= 10
            """
        ) { ($0.bytes(0), $0.integer(1) == 1) }
        var spent: [DeviceID] = []
        for (bytes, isSpent) in due {
            guard let device = DeviceID(bytes: bytes) else { throw .damaged(keptAs: database.path) }
            try wipe(in: file, device: device)
            if isSpent { spent.append(device) }
        }
        return spent
    }
}
