import CPAM

/// CLOCK_MONOTONIC: a deadline must not move when somebody sets the time.
enum MonotonicClock {
    static func now() -> Duration {
        var time = timespec()
        // Fails only for a clock that does not exist.
        _ = clock_gettime(CLOCK_MONOTONIC, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// Whole milliseconds from `now` until `deadline`, rounded up for poll(2), 0 when it has passed; at most
    /// ten minutes.
    static func pollMilliseconds(until deadline: Duration, now: Duration) -> Int32 {
        let left = deadline - now
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        guard seconds < 600 else { return 600_000 }
        return Int32(truncatingIfNeeded: seconds &* 1_000 &+ attoseconds / 1_000_000_000_000_000 &+ 1)
    }
}
