import ControlProtocol

/// Which entries of the audit log are shown. What is not set picks nothing out.
struct AuditFilter: Equatable, Sendable {
    /// Unix seconds: entries of this second and later.
    var since: Int64?
    /// Unix seconds: entries before this second.
    var until: Int64?
    /// Whom an entry is about.
    var user: AccountName?
    /// Ids of devices as listings show them; an entry is about one of them.
    var devices: [[UInt8]]?
    /// Events; empty: all of them.
    var kinds: [[UInt8]] = []

    var picksOut: Bool { self != AuditFilter() }

    func shows(_ entry: AuditListing) -> Bool {
        let time = Int64(clamping: entry.unixSeconds)
        if let since, time < since { return false }
        if let until, time >= until { return false }
        if let user {
            guard let name = entry.user, user.spellings.contains(name) else { return false }
        }
        if let devices {
            guard let device = entry.device, devices.contains(device) else { return false }
        }
        return kinds.isEmpty || kinds.contains(entry.event)
    }
}
