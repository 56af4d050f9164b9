/// The clock by which a site is founded. The keys of its issuers expire by that clock, so it must be right.
public enum FoundingClock {
    /// No machine that runs this version has an earlier time: 1 November 2026, in seconds since 1970.
    static let earliest: UInt64 = 1_793_491_200
    /// 50 years after `earliest`.
    static let latest = earliest + 50 * 31_557_600

    /// Returns the fault of the two clocks, in words, or nil. Both are in seconds since 1970.
    public static func problem(database: UInt64, own: UInt64) -> String? {
        if SiteClock.difference(database, own) > SiteClock.tolerance {
            return "the database's clock says \(database) and this machine's clock \(own) seconds since 1970"
        }
        return (earliest...latest).contains(own)
            ? nil : "the clocks say \(own) seconds since 1970, which cannot be right"
    }
}
