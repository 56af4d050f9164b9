import SiteTrust

/// The time by which a server signs: the database's, as long as its clock runs as expected.
///
/// All servers of a site share that clock. A server stops signing when that clock jumps, or differs from the server's
/// own. A status with a time far ahead would make boxes refuse every later status.
struct SiteClock: Sendable, Equatable {
    /// How far two clocks may differ, and how far one may jump, in seconds.
    static let tolerance: UInt64 = 60

    enum State: Sendable, Equatable {
        case unknown
        /// The seconds since 1970 that the database gave at the time `at` since boot.
        case running(UInt64, at: Duration)
        /// Nothing is signed until an administrator has checked the clocks.
        case doubtful(String)
    }

    /// The difference that raises an alarm, in whole seconds. It includes the travel time of the database's answer.
    static let notice: UInt64 = 15

    private(set) var state = State.unknown
    /// The database's clock minus this server's own, in seconds, at the last comparison.
    private(set) var difference: Int64 = 0

    /// Nil while the clocks agree. Also nil while the clock is doubtful, because `doubt` then gives the reason.
    var alarm: SiteAlarm? { difference.magnitude >= Self.notice && !isDoubtful ? .clock(difference) : nil }

    /// The age of the database's last answer beyond which nothing is signed.
    static let newsAge: Duration = .seconds(5)

    /// True while the database does not answer.
    private var isLost = false

    var isDoubtful: Bool { if case .doubtful = state { true } else { false } }

    /// Returns the present time, or nil while nothing may be signed.
    func seconds(now: Duration) -> UInt64? {
        guard case .running(_, let at) = state, !isLost, now - at <= Self.newsAge else { return nil }
        return expected(now: now)
    }

    /// Returns why nothing may be signed, in words, or nil if signing is allowed.
    func doubt(now: Duration) -> String? {
        if case .doubtful(let why) = state { return why }
        return seconds(now: now) == nil ? "the database does not answer" : nil
    }

    private func expected(now: Duration) -> UInt64? {
        guard case .running(let seconds, let at) = state, now >= at else { return nil }
        return seconds + UInt64((now - at).components.seconds)
    }

    mutating func lose() { isLost = true }

    /// Takes the present time of the database and of this server's own clock.
    mutating func take(database: UInt64, own: UInt64, now: Duration) {
        isLost = false
        difference = Int64(clamping: database) - Int64(clamping: own)
        if isDoubtful { return }
        if Self.difference(database, own) > Self.tolerance {
            state = .doubtful("the database's clock says \(database) and this server's clock \(own) seconds since 1970")
        } else if let expected = expected(now: now), Self.difference(database, expected) > Self.tolerance {
            state = .doubtful("the database's clock jumped from \(expected) to \(database) seconds since 1970")
        } else {
            state = .running(database, at: now)
        }
    }

    /// Takes the administrator's confirmation of the clocks. The next refresh sets the time.
    mutating func accept() { state = .unknown }

    static func difference(_ one: UInt64, _ other: UInt64) -> UInt64 { one > other ? one - other : other - one }
}
