/// The last time at which this server's changes were stored. A database's settings show only what is intended.
struct WriteWatch: Sendable {
    /// The time without a stored change after which an alarm begins.
    static let patience: Duration = .seconds(10)

    /// Nil if nothing was stored since the start.
    private(set) var storedAt: Duration?
    private var failingSince: Duration?
    private var problem = ""

    /// Takes the result of a try to write: the problem and what to do about it, or nil for success.
    mutating func tried(_ new: String?, now: Duration) -> [SiteEffect] {
        if let new {
            (problem, failingSince) = (new, failingSince ?? now)
            return []
        }
        let wasStuck = alarm(now: now) != nil
        (storedAt, failingSince) = (now, nil)
        return wasStuck ? [.log(SiteLogLine(.notice, "the database stores changes again"))] : []
    }

    /// The alarm for an administrator, or nil while changes are stored.
    func alarm(now: Duration) -> SiteAlarm? {
        guard let failingSince else { return nil }
        let waited = now - (storedAt ?? failingSince)
        return waited < Self.patience ? nil : .writes(problem, seconds: waited.components.seconds)
    }
}
