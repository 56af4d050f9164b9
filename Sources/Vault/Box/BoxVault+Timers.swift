import Names
import VaultPort

/// Automatic logout: the time that each device chose, and deadlines that survive a restart of the agent.
extension BoxVault {
    /// Returns the time that the phone chose, in seconds; nil if it chose none.
    public func autoLogout(device: DeviceID) throws(VaultError) -> UInt32? {
        try database.first("SELECT auto_logout_seconds FROM devices WHERE id = ?", [.blob(device.bytes)]) {
            $0.optionalInteger(0).map { UInt32(clamping: $0) }
        } ?? nil
    }

    public func setAutoLogout(_ seconds: UInt32, device: DeviceID) throws(VaultError) {
        let changed = try database.run(
            "UPDATE devices SET auto_logout_seconds = ? WHERE id = ?", .integer(Int64(seconds)), .blob(device.bytes))
        guard changed == 1 else { throw .notFound(what: "device") }
    }

    public func setDeadline(_ kind: DeadlineKind, device: DeviceID, at: Duration) throws(VaultError) {
        let left = (at - clock.sinceBoot).components.seconds
        try database.run(
            "INSERT OR REPLACE INTO deadlines (device, kind, boot_id, at, unix_seconds) VALUES (?, ?, ?, ?, ?)",
            .blob(device.bytes), .integer(kind.rawValue), .blob(clock.bootID), .integer(clock.nanoseconds(at)),
            .integer(clock.unixSeconds + left))
    }

    public func clearDeadline(_ kind: DeadlineKind, device: DeviceID) throws(VaultError) {
        try database.run(
            "DELETE FROM deadlines WHERE device = ? AND kind = ?", .blob(device.bytes), .integer(kind.rawValue))
    }

    func clearDeadlines(of device: DeviceID) throws(VaultError) {
        try database.run("DELETE FROM deadlines WHERE device = ?", .blob(device.bytes))
    }

    /// Returns the deadlines of this boot, and deletes those of earlier boots, whose sessions have ended.
    public func deadlines() throws(VaultError) -> [StoredDeadline] {
        try database.run("DELETE FROM deadlines WHERE boot_id <> ?", .blob(clock.bootID))
        return try database.rows("SELECT device, kind, at FROM deadlines ORDER BY at") { (row) throws(VaultError) in
            guard let device = DeviceID(bytes: row.bytes(0)), let kind = DeadlineKind(rawValue: row.integer(1)) else {
                throw .damaged(keptAs: row.path)
            }
            return StoredDeadline(device: device, kind: kind, at: .nanoseconds(row.integer(2)))
        }
    }
}
