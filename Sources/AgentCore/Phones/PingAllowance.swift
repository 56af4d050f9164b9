/// When pings are answered: all phones together have so many bytes a second, so that pings cannot keep the box from its
/// work. Those that come too fast are answered later.
///
/// The generic cell rate algorithm (ITU-T I.371, Annex A): one point in time, and no list of those who wait.
package struct PingAllowance: Sendable {
    package static let bytesPerSecond = 8 << 20
    /// What a ping costs besides its bytes: small ones are work as well.
    package static let overheadBytes = 8_192
    /// What may come at once after a quiet time.
    package static let burst: Duration = .seconds(1)

    /// When all that was taken so far will have been earned.
    private var earned = Duration.zero

    package init() {}

    /// The time, not before `now`, at which a ping of so many bytes is answered.
    package mutating func take(_ bytes: Int, now: Duration) -> Duration {
        let cost = Duration.nanoseconds((bytes + Self.overheadBytes) * 1_000_000_000 / Self.bytesPerSecond)
        earned = max(earned, now) + cost
        return max(now, earned - Self.burst)
    }
}
