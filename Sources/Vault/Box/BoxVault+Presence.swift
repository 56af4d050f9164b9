import Names
import VaultPort

extension BoxVault {
    /// Returns nil if no thresholds are stored for the device.
    public func presenceThresholds(device: DeviceID) throws(VaultError) -> StoredThresholds? {
        try database.first(
            "SELECT near_dbm, far_dbm FROM presence_thresholds WHERE device = ?", [.blob(device.bytes)]
        ) { StoredThresholds(nearDBm: Int($0.integer(0)), farDBm: Int($0.integer(1))) }
    }

    /// Returns whether the phone reported its signal when this was last stored.
    public func isPresenceWatched(device: DeviceID) throws(VaultError) -> Bool {
        let found = try database.first(
            "SELECT count(*) FROM presence_watched WHERE device = ?", [.blob(device.bytes)]
        ) { $0.integer(0) }
        return found == 1
    }

    public func setPresenceWatched(_ isWatched: Bool, device: DeviceID) throws(VaultError) {
        let sql: StaticString =
            isWatched
            ? "INSERT OR IGNORE INTO presence_watched (device) VALUES (?)"
            : "DELETE FROM presence_watched WHERE device = ?"
        try database.run(sql, .blob(device.bytes))
    }

    /// Forgets the phones that own no stored session. For the agent's start: only stored sessions survived the last
    /// run.
    public func forgetPresenceWithoutSessions() throws(VaultError) {
        try database.run("DELETE FROM presence_watched WHERE device NOT IN (SELECT device FROM sessions)")
    }

    /// Stores the thresholds; nil deletes them.
    public func setPresenceThresholds(_ thresholds: StoredThresholds?, device: DeviceID) throws(VaultError) {
        guard let thresholds else {
            try database.run("DELETE FROM presence_thresholds WHERE device = ?", .blob(device.bytes))
            return
        }
        guard try self.device(device) != nil else { throw .notFound(what: "device") }
        try database.run(
            "INSERT OR REPLACE INTO presence_thresholds (device, near_dbm, far_dbm) VALUES (?, ?, ?)",
            .blob(device.bytes), .integer(Int64(thresholds.nearDBm)), .integer(Int64(thresholds.farDBm)))
    }
}
