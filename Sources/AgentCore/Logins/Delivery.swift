import AuditLog
import PhoneMessages
import VaultPort

/// A credential that a program holds, until its verdict is known.
package struct Delivery: Sendable {
    package let tap: TapID
    package let device: DeviceID
    package let user: [UInt8]
    package let tappedAt: Duration
    /// The program, for the audit log.
    package let actor: AuditActor
    /// The request that the person allowed; nil for a login.
    package let elevation: ElevationRendezvous.Ask?
    package var verdict: LoginVerdict

    package init(
        tap: TapID, device: DeviceID, user: [UInt8], tappedAt: Duration, actor: AuditActor,
        elevation: ElevationRendezvous.Ask?, verdict: LoginVerdict
    ) {
        self.tap = tap
        self.device = device
        self.user = user
        self.tappedAt = tappedAt
        self.actor = actor
        self.elevation = elevation
        self.verdict = verdict
    }
}
