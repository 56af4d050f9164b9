/// What a box knows of time: what a signed head said, and the seconds of the boot clock since then. The box's own calendar may
/// say 1970 or 2038; it is not asked.
///
/// A lower bound of the site's time, as it stands still while the box is switched off. It never goes back within a generation.
public struct SiteTime: Sendable, Equatable {
    /// What is written down: a time, and when it was.
    public struct Record: Sendable, Equatable {
        public let seconds: UInt64
        public let clock: BootClock

        public init(seconds: UInt64, clock: BootClock) {
            self.seconds = min(seconds, SiteSeconds.limit)
            self.clock = clock
        }
    }

    /// A head that is this far behind what the box knows was held up on its way: it is not fresh.
    public static let staleSeconds: UInt64 = 600
    /// One in so many seconds of the boot clock is left out: the kernel may run it too fast by one in 2,000 (adjtimex(2): a
    /// frequency of at most 500 ppm), and a box that is ahead of its site could call no head fresh any more. It does not cover
    /// `tick`, which may be off by one in ten: leaving out that much would hide heads that are played too slowly.
    static let slowness: UInt64 = 1024

    private var base: Record?

    /// Nothing is known yet.
    public init() {}

    /// After a start of the program. In the boot that wrote the record, time went on; in another one it stood still until `now`.
    public init(_ record: Record, now: BootClock) {
        base = record.clock.boot == now.boot ? record : Record(seconds: record.seconds, clock: now)
    }

    /// The time; nil before the first head of a generation.
    public func seconds(at now: BootClock) -> UInt64? {
        guard let base else { return nil }
        let elapsed = now.seconds(since: base.clock)
        return min(base.seconds + elapsed - elapsed / Self.slowness, SiteSeconds.limit)
    }

    /// What to write down.
    public func record(at now: BootClock) -> Record? {
        guard let seconds = seconds(at: now) else { return nil }
        return Record(seconds: seconds, clock: now)
    }

    /// Takes the time of a verified head that is newer than the last one. Whether it is fresh: whoever holds back heads, to
    /// hand them on late, makes time stand still no more than that.
    mutating func take(_ headTime: UInt64, at now: BootClock) -> Bool {
        let known = seconds(at: now) ?? 0
        if headTime >= known { base = Record(seconds: headTime, clock: now) }
        return headTime + Self.staleSeconds >= known
    }
}
