/// Decides when to log alarms: at once, and then once a day while they persist.
struct AlarmLog: Sendable {
    static let pause: Duration = .seconds(86_400)

    private var said: [(alarm: SiteAlarm, at: Duration)] = []

    /// Returns the alarms to log now.
    mutating func due(_ alarms: [SiteAlarm], now: Duration) -> [SiteAlarm] {
        said = said.compactMap { old in
            guard now - old.at < Self.pause else { return nil }
            return alarms.first { $0.saysNoMore(than: old.alarm) }.map { ($0, old.at) }
        }
        let due = alarms.filter { alarm in !said.contains { alarm.saysNoMore(than: $0.alarm) } }
        said += due.map { ($0, now) }
        return due
    }
}
