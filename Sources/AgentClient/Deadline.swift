import CLinux

/// A moment on CLOCK_MONOTONIC. The clock also runs while a command is stopped (SIGSTOP).
struct Deadline: Sendable {
    private let microseconds: Int64

    /// Sets the deadline `limit` from now, at most a day.
    init(in limit: Duration) {
        let (seconds, attoseconds) = limit.components
        let wanted = min(max(seconds, 0), 86_400) * 1_000_000 + max(attoseconds, 0) / 1_000_000_000_000
        microseconds = clinux_monotonic_microseconds() + wanted
    }

    /// The timeout for poll(2): rounded up, never negative.
    var remainingMilliseconds: Int32 {
        Int32(clamping: max(0, (microseconds - clinux_monotonic_microseconds() + 999) / 1_000))
    }
}
