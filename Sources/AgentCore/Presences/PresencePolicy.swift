import AgentConfiguration

/// How presence is decided, all of it the administrator's; docs/decisions/018-sessions.md has the standard values.
public struct PresencePolicy: Equatable, Sendable {
    /// So long under the far threshold is away.
    public var weak: Duration
    /// So long without a link, or without a report, is away.
    public var lost: Duration
    /// So long at the near threshold or above is near.
    public var near: Duration
    /// Whether a phone that has never reported is watched as well, by its link alone.
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

    /// A link that comes back after a loss has this long, once, to show by reports that the phone is here again.
    package static let proof: Duration = .seconds(15)
}

extension Configuration.Presence {
    /// `Configuration` refuses thresholds that are too near to each other.
    package var thresholds: PresenceThresholds { PresenceThresholds(nearDBm: nearDBm, farDBm: farDBm) ?? .standard }

    package var policy: PresencePolicy {
        PresencePolicy(
            weak: .seconds(weakSeconds), lost: .seconds(lostSeconds), near: .seconds(nearSeconds),
            watchesSilentPhones: requirePhone)
    }
}
