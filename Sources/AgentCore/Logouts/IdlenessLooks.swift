/// Decides when to check idleness and the wall clock: logind reports a console's idleness only when asked.
///
/// Pure. One check runs at a time, and a check without an answer is abandoned.
struct IdlenessLooks: Sendable {
    static let interval: Duration = .seconds(30)
    /// A check without an answer is abandoned after this time.
    static let answerLimit: Duration = .seconds(60)

    /// The time of the next check. It is nil while no session could end because of a check.
    var next: Duration?
    private var until: Duration?

    var isUnderWay: Bool { until != nil }

    var deadline: Duration? { [next, until].compactMap(\.self).min() }

    mutating func begun(now: Duration) { until = now + Self.answerLimit }

    mutating func ended() { until = nil }

    /// Returns whether a check was abandoned now, and whether the next one is due.
    mutating func timeHasCome(now: Duration) -> (isGivenUp: Bool, isDue: Bool) {
        let isGivenUp = until.map { $0 <= now } ?? false
        if isGivenUp { until = nil }
        return (isGivenUp, next.map { $0 <= now } ?? false)
    }
}
