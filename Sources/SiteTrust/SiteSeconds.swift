/// Times of a site: whole seconds since 1970, without leap seconds.
public enum SiteSeconds {
    /// Times are below this, so that sums of two do not overflow; it is a year after 30,000.
    public static let limit: UInt64 = 1 << 40

    public static func isValid(_ seconds: UInt64) -> Bool { seconds < limit }
}
