import SiteControl

extension Form {
    /// The reason for the audit log, or nil if it is empty or longer than boxsited accepts.
    public var reason: String? {
        let reason = trimmed("reason")
        return (1...SiteControlLimits.reasonBytes).contains(reason.utf8.count) ? reason : nil
    }
}
