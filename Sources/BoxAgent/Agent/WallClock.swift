import AgentCore
import EventLoop
import Glibc

/// Reads the machine's other clocks.
enum WallClock {
    /// Returns the time of all clocks now.
    static func moment(_ loop: EpollLoop) -> Moment {
        Moment(sinceBoot: loop.now(), secondOfDay: secondOfDay(), asleep: asleep())
    }

    /// Returns seconds since midnight, local time; 0 if the time is unknown.
    static func secondOfDay() -> Int64 {
        var now = Glibc.time(nil)
        var parts = tm()
        guard localtime_r(&now, &parts) != nil else { return 0 }
        return Int64(parts.tm_hour) * 3_600 + Int64(parts.tm_min) * 60 + Int64(parts.tm_sec)
    }

    /// Returns how long this machine has slept since boot: the difference of CLOCK_BOOTTIME and CLOCK_MONOTONIC.
    static func asleep() -> Duration {
        max(.zero, time(of: CLOCK_BOOTTIME) - time(of: CLOCK_MONOTONIC))
    }

    private static func time(of clock: clockid_t) -> Duration {
        var now = timespec()
        clock_gettime(clock, &now)
        return .seconds(now.tv_sec) + .nanoseconds(now.tv_nsec)
    }
}
