import AgentConfiguration

/// The administrator's rules of presence. docs/decisions/018-sessions.md has the default values.
public struct PresencePolicy: Equatable, Sendable {
    /// The time below the far threshold after which a phone is away.
    public var weak: Duration
    /// The time without a link, or without a report, after which a phone is away.
    public var lost: Duration
    /// The time at the near threshold or above after which a phone is near.
    public var near: Duration
    /// True if a phone that has never reported is watched too, by its link alone.
    public var watchesSilentPhones: Bool

    public init(
        weak: Duration = .seconds(5), lost: Duration = .seconds(15), near: Duration = .seconds(3),
        watchesSilentPhones: Bool = false
    ) {
        self.weak = weak
        self.near = near
        self.lost = lost
        self.watchesSilentPhones = watchesSilentPhones
    }

    /// After a lost link returns, the phone must show by reports within this time that it is here. The time is granted
    /// once for each loss.
    package static let proof: Duration = .seconds(15)
}

extension Configuration.Presence {
    /// `Configuration` refuses thresholds that are too close to each other.
    package var thresholds: PresenceThresholds { PresenceThresholds(nearDBm: nearDBm, farDBm: farDBm) ?? .standard }

    package var policy: PresencePolicy {
        PresencePolicy(
            weak: .seconds(weakSeconds), lost: .seconds(lostSeconds), near: .seconds(nearSeconds),
            watchesSilentPhones: requirePhone)
    }
}
