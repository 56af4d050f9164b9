/// The last time at which this server's changes were stored. A database's settings show only what is intended.
struct WriteWatch: Sendable {
    /// The time without a stored change after which an alarm begins.
    static let patience: Duration = .seconds(10)

    /// Nil if nothing was stored since the start.
    private(set) var storedAt: Duration?
    private var problem: (what: WriteProblem, since: Duration)?

    /// Takes the result of a try to write. Nil stands for success.
    mutating func tried(_ new: WriteProblem?, now: Duration) -> [SiteEffect] {
        if let new {
            problem = (new, since: problem?.since ?? now)
            return []
        }
        let wasStuck = alarm(now: now) != nil
        (storedAt, problem) = (now, nil)
        return wasStuck ? [.log(SiteLogLine(.notice, "the database stores changes again"))] : []
    }

    /// The alarm for an administrator, or nil while changes are stored.
    func alarm(now: Duration) -> SiteAlarm? {
        guard let problem else { return nil }
        let waited = now - (storedAt ?? problem.since)
        return waited < Self.patience ? nil : .writes(problem.what, seconds: UInt64(max(0, waited.components.seconds)))
    }
}
