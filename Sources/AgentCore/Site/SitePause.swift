import SiteLink

/// The pause before a box tries its site again. Ten thousand boxes may lose a server in the same second.
struct SitePause: Sendable {
    static let first: Duration = .seconds(1)
    static let longest: Duration = .seconds(60)
    /// The longest pause after a link that lasted.
    static let spread: Duration = .seconds(30)
    /// A link that ended sooner than this did not last.
    static let standing: Duration = .seconds(10)
    /// The pause after a refusal that may pass, and after one that an administrator must lift.
    static let refused: Duration = .seconds(60)
    static let refusedForLong: Duration = .seconds(300)

    private var next = Self.first

    /// Returns the pause after a failed attempt: 1 s, doubled up to 60 s, plus up to half of that.
    mutating func afterFailure(_ jitter: inout SiteJitter) -> Duration {
        defer { next = min(next * 2, Self.longest) }
        return jitter.time(in: next...(next + next / 2))
    }

    mutating func afterLink(thatStood stood: Duration, _ jitter: inout SiteJitter) -> Duration {
        guard stood >= Self.standing else { return afterFailure(&jitter) }
        next = Self.first
        return jitter.time(in: .zero...Self.spread)
    }

    /// Returns the pause after the site has refused the box.
    mutating func after(_ refusal: SiteRefusal, _ jitter: inout SiteJitter) -> Duration {
        next = Self.first
        let pause: Duration =
            switch refusal {
            case .unknownBox, .removed, .suspended: Self.refusedForLong
            case .codeUsed, .codeExpired, .alreadyJoined, .notNow, .waiting: Self.refused
            }
        return jitter.time(in: pause...(pause + pause / 2))
    }
}
