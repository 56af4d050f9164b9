import ControlProtocol

/// Selects the entries of the audit log to show. An unset field excludes nothing.
struct AuditFilter: Equatable, Sendable {
    /// Unix seconds; shows entries of this second and later.
    var since: Int64?
    /// Unix seconds; shows entries before this second.
    var until: Int64?
    /// The user that an entry is about.
    var user: AccountName?
    /// IDs of the user's devices. Their entries may have a spelling that the box has replaced.
    var devicesOfUser: [[UInt8]] = []
    /// IDs of devices as listings show them; an entry must be about one of them.
    var devices: [[UInt8]]?
    /// Events; empty selects all.
    var kinds: [[UInt8]] = []

    var picksOut: Bool { self != AuditFilter() }

    func shows(_ entry: AuditListing) -> Bool {
        let time = Int64(clamping: entry.unixSeconds)
        if let since, time < since { return false }
        if let until, time >= until { return false }
        if let user {
            guard let name = entry.user,
                user.spellings.contains(name) || entry.device.map(devicesOfUser.contains) ?? false
            else { return false }
        }
        if let devices {
            guard let device = entry.device, devices.contains(device) else { return false }
        }
        return kinds.isEmpty || kinds.contains(entry.event)
    }
}
