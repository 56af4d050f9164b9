import Names
import VaultPort

/// The owners of sessions. These rows survive a restart of the agent, but not a reboot.
extension BoxVault {
    /// Stores a session, and replaces an earlier one with the same ID.
    public func keepSession(_ session: StoredSession) throws(VaultError) {
        try database.run(
            """
            INSERT OR REPLACE INTO sessions
            (logind_id, device, user, terminal, boot_id, opened_microseconds, opened_at, extensions)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            .blob(session.logindID), .blob(session.device.bytes), .blob(session.user),
            session.terminal.map { .blob($0) } ?? .null, .blob(clock.bootID), .integer(session.openedMicroseconds),
            .integer(clock.nanoseconds(session.openedAt)), .integer(session.extensions))
    }

    public func setExtensions(_ extensions: Int64, of logindID: [UInt8]) throws(VaultError) {
        try database.run(
            "UPDATE sessions SET extensions = ? WHERE logind_id = ?", .integer(extensions), .blob(logindID))
    }

    public func forgetSession(_ logindID: [UInt8]) throws(VaultError) {
        try database.run("DELETE FROM sessions WHERE logind_id = ?", .blob(logindID))
    }

    /// Returns the sessions of this boot.
    public func sessions() throws(VaultError) -> [StoredSession] {
        try sessions(ofThisBoot: true)
    }

    /// Removes and returns the sessions of earlier boots, which ended with those boots.
    public func takeSessionsOfEarlierBoots() throws(VaultError) -> [StoredSession] {
        try database.transaction { () throws(VaultError) in
            let ended = try sessions(ofThisBoot: false)
            try database.run("DELETE FROM sessions WHERE boot_id <> ?", .blob(clock.bootID))
            return ended
        }
    }

    private func sessions(ofThisBoot: Bool) throws(VaultError) -> [StoredSession] {
        try database.rows(
            """
            SELECT logind_id, device, user, terminal, opened_microseconds, opened_at, extensions
            FROM sessions WHERE (boot_id = ?) = ? ORDER BY opened_at
            """, [.blob(clock.bootID), .integer(ofThisBoot ? 1 : 0)]
        ) { (row) throws(VaultError) in
            guard let device = DeviceID(bytes: row.bytes(1)) else { throw .damaged(keptAs: row.path) }
            return StoredSession(
                logindID: row.bytes(0), device: device, user: row.bytes(2), terminal: row.optionalBytes(3),
                openedMicroseconds: row.integer(4), openedAt: .nanoseconds(row.integer(5)),
                extensions: row.integer(6))
        }
    }
}
