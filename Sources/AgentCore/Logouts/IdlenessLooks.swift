/// When sessions' idleness and the clock on the wall are looked at: logind tells of a console's idleness to whoever asks only.
///
/// Pure. One look is under way at a time; one that is not answered is given up.
struct IdlenessLooks: Sendable {
    static let interval: Duration = .seconds(30)
    /// After so long an answer is not waited for any more.
    static let answerLimit: Duration = .seconds(60)

    /// Nil while no session could end by what is looked at.
    var next: Duration?
    private var until: Duration?

    var isUnderWay: Bool { until != nil }

    var deadline: Duration? { [next, until].compactMap(\.self).min() }

    mutating func begun(now: Duration) { until = now + Self.answerLimit }

    mutating func ended() { until = nil }

    /// Whether a look was given up now, and whether the next one is due.
    mutating func timeHasCome(now: Duration) -> (isGivenUp: Bool, isDue: Bool) {
        let isGivenUp = until.map { $0 <= now } ?? false
        if isGivenUp { until = nil }
        return (isGivenUp, next.map { $0 <= now } ?? false)
    }
}
