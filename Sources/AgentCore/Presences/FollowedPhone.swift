import AgentConfiguration
import VaultPort

/// A phone that is here, or whose login's session is open, and what is decided about its presence.
struct FollowedPhone: Sendable {
    let user: [UInt8]
    /// A page in a browser: nobody can tell whether it has gone (docs/decisions/035-web-phones.md).
    var isWeb = false
    /// What it measured for itself; it counts where policy lets phones calibrate.
    var measured: StoredThresholds?
    var isLinked = false
    /// What the vault says, or should, while no machine decides.
    var wasWatched: Bool
    /// The vault has not said so: `wasWatched` is what locks sooner.
    var isAssumed = false
    /// Nil while the administrator wants none of it.
    private(set) var machine: Presence?

    init(user: [UInt8], isWeb: Bool, measured: StoredThresholds?, wasWatched: Bool) {
        self.user = user
        self.isWeb = isWeb
        self.measured = measured
        self.wasWatched = wasWatched
    }

    /// Its absence counts.
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

    /// Nil where the phone has measured none, or may not.
    private func own(_ policy: Configuration.Presence) -> PresenceThresholds? {
        guard policy.mayCalibrate else { return nil }
        return measured.flatMap { PresenceThresholds(nearDBm: $0.nearDBm, farDBm: $0.farDBm) }
    }
}
