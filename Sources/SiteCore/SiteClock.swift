import SiteTrust

/// The time by which a server signs: the database's, as long as it goes on as it should.
///
/// All servers of a site share the database's clock. A server stops signing when that clock and its own calendar differ, or when
/// it jumps: a head with a time far ahead would make boxes refuse every later one.
struct SiteClock: Sendable, Equatable {
    /// How far two clocks may differ, and how far one may jump, in seconds.
    static let tolerance: UInt64 = 60

    enum State: Sendable, Equatable {
        case unknown
        /// At this time since boot it was so many seconds since 1970.
        case running(UInt64, at: Duration)
        /// Nothing is signed until somebody has looked at the clocks.
        case doubtful(String)
    }

    /// From so many seconds on somebody should look at the clocks. They are compared in whole seconds, and the answer's way counts.
    static let notice: UInt64 = 15

    private(set) var state = State.unknown
    /// The database's clock less this server's own, in seconds, as they were compared last.
    private(set) var difference: Int64 = 0

    /// Nil while they agree, and while nothing is signed: then `doubt` says why.
    var alarm: SiteAlarm? { difference.magnitude >= Self.notice && !isDoubtful ? .clock(difference) : nil }

    /// The database's last word is good for so long: older, and nothing is signed.
    static let newsAge: Duration = .seconds(5)

    /// The database does not answer.
    private var isLost = false

    var isDoubtful: Bool { if case .doubtful = state { true } else { false } }

    /// The time now; nil while nothing may be signed.
    func seconds(now: Duration) -> UInt64? {
        guard case .running(_, let at) = state, !isLost, now - at <= Self.newsAge else { return nil }
        return expected(now: now)
    }

    /// Why nothing may be signed, in words; nil: it may.
    func doubt(now: Duration) -> String? {
        if case .doubtful(let why) = state { return why }
        return seconds(now: now) == nil ? "the database does not answer" : nil
    }

    private func expected(now: Duration) -> UInt64? {
        guard case .running(let seconds, let at) = state, now >= at else { return nil }
        return seconds + UInt64((now - at).components.seconds)
    }

    mutating func lose() { isLost = true }

    /// What the database and this server's own calendar say now.
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

    /// The administrator has looked at the clocks: what the next refresh says counts.
    mutating func accept() { state = .unknown }

    private static func difference(_ one: UInt64, _ other: UInt64) -> UInt64 { one > other ? one - other : other - one }
}
