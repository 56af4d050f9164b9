/// Decides when the metrics file is written: after a change, but not often. Pure; time is an argument.
struct MetricsSchedule: Equatable, Sendable {
    /// Shortest time between two writes.
    static let period: Duration = .seconds(15)
    /// Time from a failed write to the next try.
    static let retry: Duration = .seconds(60)

    /// The time of the next write; nil if nothing has changed.
    private(set) var deadline: Duration?
    private var last: Duration?

    mutating func changed(now: Duration) {
        deadline = deadline ?? max(now, last.map { $0 + Self.period } ?? now)
    }

    /// Called when a write begins; later changes go into the next one.
    mutating func begins(now: Duration) {
        last = now
        deadline = nil
    }

    mutating func failed(now: Duration) {
        deadline = now + Self.retry
    }
}
