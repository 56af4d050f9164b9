import AgentConfiguration

/// Decides whether the user is at the box, by one phone's link and the signal strength that the phone measures.
///
/// A pure state machine, one for each phone. `away` has an effect: the box locks. `offer` only makes the phone offer a
/// tap, because a relay can make a phone seem near, but cannot make its owner tap. To make costly mistakes unlikely, a
/// decision needs the average of `PresenceSignal.minimumSamples` samples. A decision is reversed only after a further
/// change by `PresenceThresholds.hysteresisDB`.
public struct Presence: Sendable {
    public enum Event: Equatable, Sendable {
        /// The phone's first channel opened.
        case linkUp
        /// The phone's last channel ended.
        case linkDown
        /// The phone's measurement, or nil if it is here but cannot measure.
        case report(dBm: Int?)
        /// The user tapped for a login, an unlock or an elevation, and is here now, whatever the signal says.
        case tapped
        case thresholdsSet(PresenceThresholds)
        case policySet(PresencePolicy)
        /// `deadline` has passed.
        case timer
    }

    public enum Reason: Equatable, Sendable {
        case linkLost
        /// The link exists, but the reports have ended.
        case silent
        case weakSignal
    }

    public enum Action: Equatable, Sendable {
        case away(Reason)
        case back
        /// The phone came near, and may offer one tap.
        case offer
        /// The phone is no longer near.
        case withdrawOffer
    }

    public enum State: Equatable, Sendable {
        case present
        case near
        case away(Reason)

        public var isAway: Bool { if case .away = self { true } else { false } }
    }

    public private(set) var state = State.present
    public private(set) var thresholds: PresenceThresholds
    public private(set) var policy: PresencePolicy
    package private(set) var signal = PresenceSignal()
    package private(set) var isLinked = false
    /// The time of the link's last change.
    package private(set) var linkChanged: Duration
    /// The number of reports on this link, with or without a measurement.
    package private(set) var reports = 0
    package private(set) var lastReport: Duration?
    /// The time of the last report, tap or start of the link. Silence counts from here.
    package private(set) var lastSign: Duration
    /// The time since which the average has been below the far threshold.
    package private(set) var weakSince: Duration?
    /// The time since which the average has reached the near threshold, if the phone is not near yet.
    package private(set) var strongSince: Duration?
    /// The time of the link's first loss, until the phone shows that it is back.
    package private(set) var lostSince: Duration?
    private var proofUntil: Duration?
    /// True from the phone's first report until a tap on a link without reports. Otherwise the phone's silence means
    /// nothing.
    public private(set) var hasReported: Bool

    /// - Parameter hasReported: True if the phone reported to an earlier run, and must now show that it is here.
    public init(
        thresholds: PresenceThresholds = .standard, policy: PresencePolicy = PresencePolicy(),
        hasReported: Bool = false, now: Duration
    ) {
        self.thresholds = thresholds
        self.policy = policy
        self.hasReported = hasReported
        lostSince = hasReported ? now : nil
        linkChanged = now
        lastSign = now
    }

    public var isWatched: Bool { hasReported || policy.watchesSilentPhones }

    /// The time at which `.timer` is due.
    public var deadline: Duration? { [lostDeadline, weakDeadline].compactMap(\.self).min() }

    public mutating func handle(_ event: Event, now: Duration) -> [Action] {
        // Deadlines that have passed come before this event, even if the timer is late.
        var actions = expire(now)
        switch event {
        case .linkUp: linkUp(now)
        case .linkDown: linkDown(now)
        case .report(let dBm): report(dBm, now)
        case .tapped:
            weakSince = nil
            lastSign = now
            if isLinked { forgetLoss() }
            // A link without reports belongs to a program that ends with the tap, which does not mean that the user
            // leaves.
            if isLinked, lastReport == nil { hasReported = false }
            if state.isAway { state = .present }
        case .thresholdsSet(let new): thresholds = new
        case .policySet(let new): policy = new
        case .timer: break
        }
        actions += judge(now)
        return actions
    }

    // MARK: - Events

    private mutating func linkUp(_ now: Duration) {
        guard !isLinked else { return }
        isLinked = true
        linkChanged = now
        lastSign = now
        lastReport = nil
        weakSince = nil
        forgetSamples()
        guard let lostSince, hasReported else { return forgetLoss() }
        // Set the limit once for each loss: a link that flaps at the edge of the range proves nothing.
        if proofUntil == nil { proofUntil = max(lostSince + policy.lost, now + PresencePolicy.proof) }
    }

    private mutating func linkDown(_ now: Duration) {
        guard isLinked else { return }
        isLinked = false
        linkChanged = now
        weakSince = nil
        lostSince = lostSince ?? now
    }

    private mutating func report(_ dBm: Int?, _ now: Duration) {
        guard isLinked else { return }
        hasReported = true
        reports = min(reports + 1, Int.max - 1)
        lastReport = now
        lastSign = now
        if let dBm { signal.take(dBm, at: now) }
    }

    private mutating func forgetSamples() {
        signal = PresenceSignal()
        reports = 0
    }

    private mutating func forgetLoss() {
        lostSince = nil
        proofUntil = nil
    }

    // MARK: - Decisions

    package var lostDeadline: Duration? {
        guard isWatched, !state.isAway else { return nil }
        if let lostSince { return max(lostSince + policy.lost, proofUntil ?? .zero) }
        return hasReported ? lastSign + policy.lost : nil
    }

    package var weakDeadline: Duration? {
        guard !state.isAway else { return nil }
        return weakSince.map { $0 + policy.weak }
    }

    private mutating func expire(_ now: Duration) -> [Action] {
        // The earlier of the two deadlines is the reason.
        if let weak = weakDeadline, weak <= now, weak <= lostDeadline ?? weak { return leave(.weakSignal) }
        if let lost = lostDeadline, lost <= now { return leave(lostSince == nil ? .silent : .linkLost) }
        return []
    }

    private mutating func leave(_ reason: Reason) -> [Action] {
        let wasNear = state == .near
        state = .away(reason)
        weakSince = nil
        // Measurements from before a silence are obsolete.
        if reason == .silent { forgetSamples() }
        return (wasNear ? [.withdrawOffer] : []) + [.away(reason)]
    }

    /// Returns whether the phone has shown on this link that it is here, by enough reports and a signal that is not
    /// weak. For a phone that cannot measure, its reports suffice. Without any report, the link suffices.
    private func isShownHere(atLeast dBm: Int) -> Bool {
        guard isLinked else { return false }
        if !hasReported { return true }
        guard reports >= PresenceSignal.minimumSamples else { return false }
        guard signal.count > 0 else { return true }
        return signal.smoothedMilliDBm.map { $0 >= dBm * 1_000 } ?? false
    }

    private mutating func judge(_ now: Duration) -> [Action] {
        if isShownHere(atLeast: thresholds.farDBm) { forgetLoss() }
        let smoothed = isLinked ? signal.smoothedMilliDBm : nil
        if let smoothed, smoothed < thresholds.farDBm * 1_000, !state.isAway {
            weakSince = weakSince ?? now
        } else {
            weakSince = nil
        }
        var actions = expire(now)
        if state.isAway, actions.isEmpty, isShownHere(atLeast: thresholds.backDBm) {
            state = .present
            forgetLoss()
            actions.append(.back)
        }
        return actions + judgeNear(smoothed, now)
    }

    private mutating func judgeNear(_ smoothed: Int?, _ now: Duration) -> [Action] {
        let isStrong = (smoothed ?? .min) >= thresholds.nearDBm * 1_000 && signal.isFresh(at: now)
        strongSince = isStrong && state == .present ? strongSince ?? now : nil
        if let strongSince, now - strongSince >= policy.near {
            state = .near
            self.strongSince = nil
            return [.offer]
        }
        if state == .near, (smoothed ?? .min) < thresholds.notNearDBm * 1_000 {
            state = .present
            return [.withdrawOffer]
        }
        return []
    }
}
