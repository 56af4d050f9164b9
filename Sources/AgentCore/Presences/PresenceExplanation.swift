/// An explanation for users why a phone counts as here, near or away, with the numbers behind the decision.
public struct PresenceExplanation: Equatable, Sendable {
    /// "present", "near" or "away".
    public let state: String
    public let isLinked: Bool
    /// For example, "up for 312 s".
    public let link: String
    /// In tenths of a dBm, or nil before there are enough samples.
    public let smoothedTenthsDBm: Int?
    /// The number of samples since the link came up.
    public let samples: Int
    public let nearDBm: Int
    public let farDBm: Int
    public let why: String
    /// The next change if the situation stays the same, or nil if there is none.
    public let next: String?
    /// The time until that change, in milliseconds.
    public let nextMilliseconds: Int?
}

extension Presence {
    public func explanation(now: Duration) -> PresenceExplanation {
        let next = explainNext(now)
        return PresenceExplanation(
            state: stateWord, isLinked: isLinked,
            link: "\(isLinked ? "up" : "down") for \(Self.seconds(now - linkChanged)) s",
            smoothedTenthsDBm: isLinked ? signal.smoothedMilliDBm.map(Self.tenths) : nil,
            samples: isLinked ? signal.count : 0, nearDBm: thresholds.nearDBm, farDBm: thresholds.farDBm,
            why: explainState(now), next: next?.what,
            nextMilliseconds: next.map { max(0, Int(($0.at - now) / .milliseconds(1))) })
    }

    private var stateWord: String {
        switch state {
        case .present: "present"
        case .near: "near"
        case .away: "away"
        }
    }

    private func explainState(_ now: Duration) -> String {
        switch state {
        case .away(.linkLost):
            let back = isLinked ? explainReturn() : "its link is still down"
            return "the link was lost for \(Self.seconds(policy.lost)) s; \(back)"
        case .away(.silent):
            return "the phone sent no report for \(Self.seconds(policy.lost)) s; \(explainReturn())"
        case .away(.weakSignal):
            let length = Self.seconds(policy.weak)
            return "the signal was under \(thresholds.farDBm) dBm for \(length) s; \(explainReturn())"
        case .near:
            return "the average of \(averageText) is not under \(thresholds.notNearDBm) dBm, where near ends"
        case .present: return explainPresent(now)
        }
    }

    private func explainPresent(_ now: Duration) -> String {
        guard isWatched else { return "the phone does not report its signal, so the phone's absence means nothing" }
        guard isLinked else { return "the link is down, but not for long enough" }
        if lostSince != nil {
            return "the link is back after a loss; reports must still show that the phone is back too"
        }
        guard let lastReport else { return "the link is up; the phone has not reported on it yet" }
        let age = "the last report is \(Self.seconds(now - lastReport)) s old"
        if signal.count == 0 { return "the phone reports no signal strength; \(age)" }
        guard let smoothed = signal.smoothedMilliDBm else {
            return "\(signal.count) of the \(PresenceSignal.minimumSamples) samples needed for a decision; \(age)"
        }
        if let weakSince {
            let length = Self.seconds(now - weakSince)
            return "the average of \(averageText) is under \(thresholds.farDBm) dBm for \(length) s; \(age)"
        }
        if smoothed >= thresholds.nearDBm * 1_000 {
            return "the average of \(averageText) would be near, but its samples are old; \(age)"
        }
        return "the average of \(averageText) is between far, \(thresholds.farDBm) dBm, "
            + "and near, \(thresholds.nearDBm) dBm; \(age)"
    }

    /// Explains what an absent phone with a link still lacks to be back.
    private func explainReturn() -> String {
        guard isLinked else { return "its link is down" }
        guard reports >= PresenceSignal.minimumSamples else {
            return "back after \(PresenceSignal.minimumSamples) reports; received so far: \(reports)"
        }
        guard signal.smoothedMilliDBm != nil else {
            return "back after \(PresenceSignal.minimumSamples) samples; received so far: \(signal.count)"
        }
        return "the average is \(averageText), back from \(thresholds.backDBm) dBm"
    }

    private func explainNext(_ now: Duration) -> (what: String, at: Duration)? {
        if let weak = weakDeadline, weak <= lostDeadline ?? weak {
            return ("away, unless the average reaches \(thresholds.farDBm) dBm", weak)
        }
        guard let lost = lostDeadline else { return nil }
        if lostSince != nil {
            return (isLinked ? "away, unless reports show it here" : "away, unless the link comes back", lost)
        }
        return ("away, unless it reports", lost)
    }

    private var averageText: String { Self.text(tenths: Self.tenths(signal.averageMilliDBm)) + " dBm" }

    private static func tenths(_ milli: Int) -> Int { (milli - (milli < 0 ? 50 : -50)) / 100 }

    package static func text(tenths: Int) -> String {
        "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    private static func seconds(_ time: Duration) -> Int64 { max(0, time.components.seconds) }
}
