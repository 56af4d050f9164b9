import Links

/// How eagerly the box advertises (docs/decisions/010-gatt-profile.md): often while somebody is likely to come, which
/// is after the start, a logout and a lock, then less and less. Pure; time is an argument.
package struct AdvertisingSchedule: Sendable {
    package static let fastTime: Duration = .seconds(30)
    /// From the last likely moment to the slow interval.
    package static let mediumTime: Duration = .seconds(600)

    private var since: Duration
    package private(set) var mode = AdvertisingMode.fast

    package init(now: Duration) {
        since = now
    }

    /// Somebody is likely to come.
    package mutating func restart(now: Duration) {
        since = now
        mode = .fast
    }

    /// When the mode changes next.
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
