/// Counts the hours in which a box may admit phones of its site without hearing from the site. The box stores each hour
/// in advance, and each boot takes one.
///
/// An attacker who cuts the box off, restarts it or sets its clock gets only these hours. A fresh status restores them.
public struct OfflineAllowance: Sendable, Equatable {
    public static let hours = 1...504
    public static let defaultHours = 24
    static let hourSeconds: UInt64 = 3600

    /// The stored state: the hours spent since the last fresh signed status, and the end of the last spent hour.
    public struct Record: Sendable, Equatable {
        public let spentHours: Int
        public let until: BootClock

        public init(spentHours: Int, until: BootClock) {
            self.spentHours = spentHours
            self.until = until
        }
    }

    /// The total hours, 1 to 504.
    public let limit: Int
    private var current: Record?
    private var written: Record?

    /// Creates an allowance without hours, as before the first signed status. Clamps `limit` to the bounds.
    public init(limit: Int = defaultHours) {
        self.limit = min(max(limit, Self.hours.lowerBound), Self.hours.upperBound)
    }

    /// Restores the allowance at a start of the program. In another boot, the record's last hour is over.
    public init(limit: Int = defaultHours, _ record: Record) {
        self.init(limit: limit)
        (current, written) = (record, record)
    }

    /// Returns whether `now` is in a stored hour, or in the hour that a fresh signed status began.
    public func isPaid(at now: BootClock) -> Bool {
        guard let current else { return false }
        return current.until.boot == now.boot && now.seconds < current.until.seconds
    }

    /// Returns whether no hour is left to store.
    public func isUsedUp(at now: BootClock) -> Bool {
        guard let current else { return true }
        return !isPaid(at: now) && current.spentHours >= limit
    }

    /// Returns the hours left, the current one included: 0 to `limit`.
    public func hoursLeft(at now: BootClock) -> Int {
        guard let current else { return 0 }
        return max(0, limit - current.spentHours + (isPaid(at: now) ? 1 : 0))
    }

    /// Returns when `due` will have a record, in seconds of this boot, if no status comes. Returns nil if `due` has one
    /// now, or never will.
    public func nextDue(at now: BootClock) -> UInt64? {
        guard isPaid(at: now), let written, due(at: now) == nil else { return nil }
        return written.until.seconds
    }

    /// Returns the record to store durably and then report to `wrote`: the next hour, or the hour that a fresh signed
    /// status began. Returns nil if there is nothing to store, or all hours are spent.
    public func due(at now: BootClock) -> Record? {
        guard let current else { return nil }
        if isPaid(at: now) {
            guard let written, written.until.boot == now.boot, now.seconds < written.until.seconds,
                written.spentHours <= current.spentHours
            else { return current }
            return nil
        }
        return current.spentHours < limit ? next(after: current.spentHours, now) : nil
    }

    /// Returns the current hour if it ends later than the stored one. Storing it with other data delays `due`.
    public func running(at now: BootClock) -> Record? {
        guard isPaid(at: now), let current, current != written else { return nil }
        return current
    }

    /// Call this when a record of `due` or `running` is on disk. A fresh status that came meanwhile stays in effect.
    public mutating func wrote(_ record: Record) {
        written = record
        guard let current else { return }
        let isLater =
            record.until.boot != current.until.boot || record.until.seconds > current.until.seconds
        if isLater { self.current = record }
    }

    /// Begins the first hour, after a fresh signed status.
    mutating func refill(at now: BootClock) {
        current = next(after: 0, now)
    }

    /// Accepts a signed status that travelled for `age` seconds in a file. The hours since its signing count as spent,
    /// rounded up. So the box never has more hours than one that heard the status at once and then lost its site. The
    /// hours left never decrease.
    mutating func refill(at now: BootClock, age: UInt64) {
        let spent = age / Self.hourSeconds + (age.isMultiple(of: Self.hourSeconds) ? 0 : 1)
        guard spent < UInt64(limit) else { return }
        var other = self
        other.current = next(after: Int(spent), now)
        if other.hoursLeft(at: now) > hoursLeft(at: now) { self = other }
    }

    private func next(after spent: Int, _ now: BootClock) -> Record? {
        guard let until = BootClock(boot: now.boot, seconds: now.seconds + Self.hourSeconds) else { return nil }
        return Record(spentHours: spent + 1, until: until)
    }
}
