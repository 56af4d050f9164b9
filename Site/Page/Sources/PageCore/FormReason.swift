import SiteControl

extension Form {
    /// Why somebody does something, for the audit log; nil where they do not say, or more than boxsited takes.
    public var reason: String? {
        let reason = trimmed("reason")
        return (1...SiteControlLimits.reasonBytes).contains(reason.utf8.count) ? reason : nil
    }
}
