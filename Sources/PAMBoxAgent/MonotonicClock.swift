import CPAM

/// CLOCK_MONOTONIC, so that deadlines do not move when the time is set.
enum MonotonicClock {
    static func now() -> Duration {
        var time = timespec()
        // clock_gettime fails only for a clock that does not exist.
        _ = clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// Returns the milliseconds to `deadline` for poll(2): rounded up, 0 after the deadline, at most ten minutes.
    static func pollMilliseconds(until deadline: Duration, now: Duration) -> Int32 {
        let left = deadline - now
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        guard seconds < 600 else { return 600_000 }
        return Int32(truncatingIfNeeded: seconds &* 1_000 &+ attoseconds / 1_000_000_000_000_000 &+ 1)
    }
}
