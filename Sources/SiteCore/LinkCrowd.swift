/// Whether connections without a box's key have had no place for so long that it is not a return of many boxes at once.
struct LinkCrowd: Sendable {
    /// An alarm begins when refusals have gone on for so long, and ends so long after the last one.
    static let patience: Duration = .seconds(10)
    static let calm: Duration = .seconds(60)

    private var first: Duration?
    private var last: Duration = .zero

    mutating func refused(now: Duration) {
        if first == nil || now - last >= Self.calm { first = now }
        last = now
    }

    func isAlarm(now: Duration) -> Bool {
        guard let first else { return false }
        return last - first >= Self.patience && now - last < Self.calm
    }
}
