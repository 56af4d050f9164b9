import Links

/// Decides how often the box advertises (docs/decisions/010-gatt-profile.md). The box advertises often while a user is
/// likely to come: after the start, a logout and a lock. Then the interval grows in steps. Pure.
package struct AdvertisingSchedule: Sendable {
    package static let fastTime: Duration = .seconds(30)
    /// The time from the last restart to the slow interval.
    package static let mediumTime: Duration = .seconds(600)

    private var since: Duration
    package private(set) var mode = AdvertisingMode.fast

    package init(now: Duration) {
        since = now
    }

    /// Returns to the fast interval, because a user is likely to come.
    package mutating func restart(now: Duration) {
        since = now
        mode = .fast
    }

    /// The time at which the mode changes next.
    package var deadline: Duration? {
        switch mode {
        case .fast: since + Self.fastTime
        case .medium: since + Self.mediumTime
        case .slow, .off: nil
        }
    }

    package mutating func timeHasCome(now: Duration) {
        if now >= since + Self.mediumTime {
            mode = .slow
        } else if now >= since + Self.fastTime {
            mode = .medium
        }
    }
}
