import CLinux

/// A moment on CLOCK_MONOTONIC: a command that is stopped and continued has not waited meanwhile.
struct Deadline: Sendable {
    private let microseconds: Int64

    /// `limit` from now, at most a day.
    init(in limit: Duration) {
        let (seconds, attoseconds) = limit.components
        let wanted = min(max(seconds, 0), 86_400) * 1_000_000 + max(attoseconds, 0) / 1_000_000_000_000
        microseconds = clinux_monotonic_microseconds() + wanted
    }

    /// For poll(2): rounded up, never negative.
    var remainingMilliseconds: Int32 {
        Int32(clamping: max(0, (microseconds - clinux_monotonic_microseconds() + 999) / 1_000))
    }
}
