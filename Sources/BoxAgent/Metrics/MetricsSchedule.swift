/// When the file of metrics is written: after a change, and not often. Pure; time is an argument.
struct MetricsSchedule: Equatable, Sendable {
    /// Between two writes at least.
    static let period: Duration = .seconds(15)
    /// From a write that failed to the next try.
    static let retry: Duration = .seconds(60)

    /// When it is to be written next; nil: nothing has changed.
    private(set) var deadline: Duration?
    private var last: Duration?

    mutating func changed(now: Duration) {
        deadline = deadline ?? max(now, last.map { $0 + Self.period } ?? now)
    }

    /// The writing begins: what changes from here on is written the next time.
    mutating func begins(now: Duration) {
        last = now
        deadline = nil
    }

    mutating func failed(now: Duration) {
        deadline = now + Self.retry
    }
}
