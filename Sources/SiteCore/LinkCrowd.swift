/// Finds out whether strangers take the places of links without a proved key. The return of many boxes at once is over
/// sooner than an alarm begins.
struct LinkCrowd: Sendable {
    /// An alarm begins when refusals have gone on for so long, with no longer pause between two of them.
    static let patience: Duration = .seconds(10)
    /// The alarm ends so long after the last refusal.
    static let calm: Duration = .seconds(60)

    private var first: Duration?
    private var last: Duration = .zero
    private var mostFrom: String?

    /// - Parameter network: The network with the most connections, at this refusal.
    mutating func refused(mostFrom network: String?, now: Duration) {
        if first == nil || now - last >= (isAlarm(now: now) ? Self.calm : Self.patience) { first = now }
        (last, mostFrom) = (now, network)
    }

    func isAlarm(now: Duration) -> Bool {
        guard let first else { return false }
        return last - first >= Self.patience && now - last < Self.calm
    }

    func alarm(now: Duration) -> SiteAlarm? { isAlarm(now: now) ? .crowded(mostFrom: mostFrom) : nil }
}
