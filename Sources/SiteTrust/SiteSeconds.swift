/// Times of a site: whole seconds since 1970, without leap seconds.
public enum SiteSeconds {
    /// All times are below this limit, which lies after the year 30,000, so that the sum of two cannot overflow.
    public static let limit: UInt64 = 1 << 40

    public static func isValid(_ seconds: UInt64) -> Bool { seconds < limit }
}
