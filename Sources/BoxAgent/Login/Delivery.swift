import AuditLog
import PhoneMessages
import Vault

/// A credential that a program holds, until its verdict is known.
struct Delivery: Sendable {
    let tap: TapID
    let device: DeviceID
    let user: [UInt8]
    let tappedAt: Duration
    /// The program, for the audit log.
    let actor: AuditActor
    /// The request that the person allowed; nil for a login.
    let elevation: ElevationRendezvous.Ask?
    var verdict: LoginVerdict
}
