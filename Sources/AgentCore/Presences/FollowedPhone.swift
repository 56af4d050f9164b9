import AgentConfiguration
import VaultPort

/// A phone that is connected or owns an open session, and the decisions about its presence.
struct FollowedPhone: Sendable {
    let user: [UInt8]
    /// True for a page in a browser, whose absence cannot be detected (docs/decisions/035-web-phones.md).
    var isWeb = false
    /// The thresholds that the phone measured. They count if policy lets phones calibrate.
    var measured: StoredThresholds?
    var isLinked = false
    /// The stored, or wanted, value of `isWatched` while no machine decides.
    var wasWatched: Bool
    /// True if the vault has not answered yet. `wasWatched` is then the stricter value.
    var isAssumed = false
    /// Nil while the administrator has disabled presence, and for a web phone.
    private(set) var machine: Presence?

    init(user: [UInt8], isWeb: Bool, measured: StoredThresholds?, wasWatched: Bool) {
        self.user = user
        self.isWeb = isWeb
        self.measured = measured
        self.wasWatched = wasWatched
    }

    /// True if the phone's absence counts.
    var isWatched: Bool { machine?.hasReported ?? wasWatched }

    mutating func begin(_ policy: Configuration.Presence, now: Duration) {
        machine =
            isWeb
            ? nil
            : Presence(
                thresholds: thresholds(policy), policy: policy.policy, hasReported: wasWatched, now: now)
    }

    mutating func end() {
        wasWatched = isWatched
        machine = nil
    }

    mutating func handle(_ event: Presence.Event, now: Duration) -> [Presence.Action] {
        machine?.handle(event, now: now) ?? []
    }

    func isCalibrated(_ policy: Configuration.Presence) -> Bool { own(policy) != nil }

    func thresholds(_ policy: Configuration.Presence) -> PresenceThresholds { own(policy) ?? policy.thresholds }

    /// Returns the phone's own thresholds, or nil if it has measured none or may not calibrate.
    private func own(_ policy: Configuration.Presence) -> PresenceThresholds? {
        guard policy.mayCalibrate else { return nil }
        return measured.flatMap { PresenceThresholds(nearDBm: $0.nearDBm, farDBm: $0.farDBm) }
    }
}
