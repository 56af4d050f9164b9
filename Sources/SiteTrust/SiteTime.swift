/// The time that a box knows: a signed status's time, plus the seconds of the boot clock since then. The box's own
/// calendar may say 1970 or 2038, and is not used.
///
/// A lower bound of the site's time, because it stops while the box is off. Within a generation, it never goes back.
public struct SiteTime: Sendable, Equatable {
    /// The stored state: a time, and the boot clock at that time.
    public struct Record: Sendable, Equatable {
        public let seconds: UInt64
        public let clock: BootClock

        public init(seconds: UInt64, clock: BootClock) {
            self.seconds = min(seconds, SiteSeconds.limit)
            self.clock = clock
        }
    }

    /// A signed status that is more than this many seconds behind the box's time was delayed and is not fresh.
    public static let staleSeconds: UInt64 = 600
    /// One in this many seconds of the boot clock is left out. The kernel may run the clock too fast by one in 2,000
    /// (adjtimex(2): at most 500 ppm), and a box ahead of its site could call no status fresh. An error of adjtimex's
    /// `tick`, up to one in ten, is not covered: so large a correction would hide delayed statuses.
    static let slowness: UInt64 = 1024

    private var base: Record?

    /// Creates an unknown time.
    public init() {}

    /// Restores the time at a start of the program. In another boot than the record's, time continues only from `now`.
    public init(_ record: Record, now: BootClock) {
        base = record.clock.boot == now.boot ? record : Record(seconds: record.seconds, clock: now)
    }

    /// Returns the time, or nil before the generation's first signed status.
    public func seconds(at now: BootClock) -> UInt64? {
        guard let base else { return nil }
        let elapsed = now.seconds(since: base.clock)
        return min(base.seconds + elapsed - elapsed / Self.slowness, SiteSeconds.limit)
    }

    /// Returns the record to store.
    public func record(at now: BootClock) -> Record? {
        guard let seconds = seconds(at: now) else { return nil }
        return Record(seconds: seconds, clock: now)
    }

    /// Accepts the time of a verified, newer signed status. Returns whether the status is fresh. So an attacker who
    /// delays statuses gains at most `staleSeconds`.
    mutating func take(_ headTime: UInt64, at now: BootClock) -> Bool {
        let known = seconds(at: now) ?? 0
        if headTime >= known { base = Record(seconds: headTime, clock: now) }
        return headTime + Self.staleSeconds >= known
    }
}
