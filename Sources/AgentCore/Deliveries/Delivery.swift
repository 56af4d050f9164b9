import AuditLog
import Names
import PhoneMessages
import VaultPort

/// A credential that a program holds while its verdict is unknown.
package struct Delivery: Sendable {
    package let tap: TapID
    package let device: DeviceID
    package let user: [UInt8]
    package let tappedAt: Duration
    package let applicant: Applicant
    /// The request that the user allowed. It is nil for a login.
    package let elevation: ElevationRendezvous.Ask?
    package var verdict: LoginVerdict

    package init(
        _ tap: Tap, to applicant: Applicant, elevation: ElevationRendezvous.Ask?, verdict: LoginVerdict
    ) {
        self.tap = tap.id
        device = tap.device
        user = tap.user
        tappedAt = tap.tappedAt
        self.applicant = applicant
        self.elevation = elevation
        self.verdict = verdict
    }
}
