import AgentConfiguration

/// Whether the person is at the box, as far as one phone tells: its link, and the signal strength that it measures.
///
/// A pure state machine, one for each phone. `away` is acted upon (the box locks); `offer` never is: near only makes
/// the phone offer a tap, because a relay can make a phone seem near but not make its owner tap. Being wrong is made
/// expensive in the direction that hurts: a decision needs `PresenceSignal.minimumSamples` samples, is taken on
/// their average and taken back only `PresenceThresholds.hysteresisDB` further on.
public struct Presence: Sendable {
    public enum Event: Equatable, Sendable {
        /// The phone's first channel opened.
        case linkUp
        /// Its last channel ended.
        case linkDown
        /// The phone measured this; nil: it is there and cannot measure.
        case report(dBm: Int?)
        /// The person tapped for a login or an unlock: whatever the signal says, somebody is here now.
        case tapped
        case thresholdsSet(PresenceThresholds)
        case policySet(PresencePolicy)
        /// `deadline` has come.
        case timer
    }

    public enum Reason: Equatable, Sendable {
        case linkLost
        /// The link stands, but the reports have ended.
        case silent
        case weakSignal
    }

    public enum Action: Equatable, Sendable {
        case away(Reason)
        case back
        /// The phone came near: it may offer one tap.
        case offer
        /// It is no longer near.
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
    /// When the link last came up or went.
    package private(set) var linkChanged: Duration
    /// Reports on this link, with a measurement or without.
    package private(set) var reports = 0
    package private(set) var lastReport: Duration?
    /// The last report, tap or coming up of the link: silence counts from here.
    package private(set) var lastSign: Duration
    /// Since when the average has been under the far threshold.
    package private(set) var weakSince: Duration?
    /// Since when it has been at the near threshold or above, of a phone that does not count as near yet.
    package private(set) var strongSince: Duration?
    /// When the link was first lost, as long as the phone has not shown since that it is back.
    package private(set) var lostSince: Duration?
    private var proofUntil: Duration?
    /// It has reported, and since then nobody tapped on a link without reports: only such a phone's silence means anything.
    public private(set) var hasReported: Bool

    /// `hasReported`: in an earlier run of the agent. It has to show from now on that it is still here.
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

    /// When to hand in `.timer`.
    public var deadline: Duration? { [lostDeadline, weakDeadline].compactMap(\.self).min() }

    public mutating func handle(_ event: Event, now: Duration) -> [Action] {
        // What was due before this event happened before it, however late the timer is.
        var actions = expire(now)
        switch event {
        case .linkUp: linkUp(now)
        case .linkDown: linkDown(now)
        case .report(let dBm): report(dBm, now)
        case .tapped:
            weakSince = nil
            lastSign = now
            if isLinked { forgetLoss() }
            // The link is the tap's own, of a program that ends with it: its going says nothing of the person.
            if isLinked, lastReport == nil { hasReported = false }
            if state.isAway { state = .present }
        case .thresholdsSet(let new): thresholds = new
        case .policySet(let new): policy = new
        case .timer: break
        }
        actions += judge(now)
        return actions
    }

    // MARK: - What happens

    private mutating func linkUp(_ now: Duration) {
        guard !isLinked else { return }
        isLinked = true
        linkChanged = now
        lastSign = now
        lastReport = nil
        weakSince = nil
        forgetSamples()
        guard let lostSince, hasReported else { return forgetLoss() }
        // Once for each loss: a link that flaps at the edge of the range shows nothing.
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

    // MARK: - What follows

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
        // The earlier of the two is the reason.
        if let weak = weakDeadline, weak <= now, weak <= lostDeadline ?? weak { return leave(.weakSignal) }
        if let lost = lostDeadline, lost <= now { return leave(lostSince == nil ? .silent : .linkLost) }
        return []
    }

    private mutating func leave(_ reason: Reason) -> [Action] {
        let wasNear = state == .near
        state = .away(reason)
        weakSince = nil
        // After a silence what was measured before it says nothing.
        if reason == .silent { forgetSamples() }
        return (wasNear ? [.withdrawOffer] : []) + [.away(reason)]
    }

    /// The phone has shown on this link that it is here: enough reports, and a signal that is not weak. One that
    /// cannot measure shows it by its reports alone.
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
