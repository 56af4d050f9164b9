/// A limit on pings: all phones together share a number of bytes a second, so that pings cannot keep the box from its
/// work. Pings over the limit are answered later.
///
/// The generic cell rate algorithm (ITU-T I.371, Annex A) needs one point in time and no queue.
package struct PingAllowance: Sendable {
    package static let bytesPerSecond = 8 << 20
    /// The cost of a ping besides its bytes: small pings are work too.
    package static let overheadBytes = 8_192
    /// The burst that may come after a quiet time.
    package static let burst: Duration = .seconds(1)

    /// The time at which all pings so far are paid for.
    private var earned = Duration.zero

    package init() {}

    /// Returns the time at which a ping of this size is answered, `now` or later.
    package mutating func take(_ bytes: Int, now: Duration) -> Duration {
        let cost = Duration.nanoseconds((bytes + Self.overheadBytes) * 1_000_000_000 / Self.bytesPerSecond)
        earned = max(earned, now) + cost
        return max(now, earned - Self.burst)
    }
}
