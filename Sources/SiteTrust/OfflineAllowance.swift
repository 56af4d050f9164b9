/// How many hours a box may let in phones of its site without having heard from the site: a counter that is written down
/// before an hour begins, and of which each boot takes one.
///
/// Whoever cuts a box off, switches it off and on, or sets its clock, gets these hours and no more. The first of them begins
/// with each fresh head.
public struct OfflineAllowance: Sendable, Equatable {
    public static let hours = 1...504
    public static let defaultHours = 24
    static let hourSeconds: UInt64 = 3600

    /// What is written down: hours spent since the last fresh head, and until when the last of them lasts.
    public struct Record: Sendable, Equatable {
        public let spentHours: Int
        public let until: BootClock

        public init(spentHours: Int, until: BootClock) {
            self.spentHours = spentHours
            self.until = until
        }
    }

    /// Hours in all, 1 to 504.
    public let limit: Int
    private var current: Record?
    private var written: Record?

    /// Without a head there is nothing to spend. A limit out of bounds counts as the nearest within.
    public init(limit: Int = defaultHours) {
        self.limit = min(max(limit, Self.hours.lowerBound), Self.hours.upperBound)
    }

    /// After a start of the program: in another boot than the record's, its last hour is over.
    public init(limit: Int = defaultHours, _ record: Record) {
        self.init(limit: limit)
        (current, written) = (record, record)
    }

    /// Whether `now` is in an hour that was written down, or that a fresh head began.
    public func isPaid(at now: BootClock) -> Bool {
        guard let current else { return false }
        return current.until.boot == now.boot && now.seconds < current.until.seconds
    }

    /// Whether no hour is left that could be written down.
    public func isUsedUp(at now: BootClock) -> Bool {
        guard let current else { return true }
        return !isPaid(at: now) && current.spentHours >= limit
    }

    /// Hours that are left, the one that runs included: 0 to `limit`.
    public func hoursLeft(at now: BootClock) -> Int {
        guard let current else { return 0 }
        return max(0, limit - current.spentHours + (isPaid(at: now) ? 1 : 0))
    }

    /// When `due` has something next, in seconds of this boot, unless a head comes before; nil where that is now or never.
    public func nextDue(at now: BootClock) -> UInt64? {
        guard isPaid(at: now), let written, due(at: now) == nil else { return nil }
        return written.until.seconds
    }

    /// What has to be written down now, durably, and then told by `wrote`: the next hour, or that a fresh head came. Nil where
    /// nothing has to be, or all hours are spent.
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

    /// The hour that runs, where it lasts longer than the one on disk: for who writes something else. Then `due` comes later.
    public func running(at now: BootClock) -> Record? {
        guard isPaid(at: now), let current, current != written else { return nil }
        return current
    }

    /// `record`, which `due` or `running` gave, is on disk. A fresh head that came meanwhile is not undone by it.
    public mutating func wrote(_ record: Record) {
        written = record
        guard let current else { return }
        let isLater =
            record.until.boot != current.until.boot || record.until.seconds > current.until.seconds
        if isLater { self.current = record }
    }

    /// A fresh head came: its hour begins, as the first.
    mutating func refill(at now: BootClock) {
        current = next(after: 0, now)
    }

    /// A head came that was under way for `age` seconds, in a file: the hours since it was signed count as spent, a part of one as a
    /// whole. So there are never more left than a box would have that heard the head at once and lost its site then. What is
    /// left does not get less by this.
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
