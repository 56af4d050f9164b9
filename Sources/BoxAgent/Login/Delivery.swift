import PhoneMessages
import Vault

/// A credential that a program holds, until its verdict is known.
struct Delivery: Sendable {
    let tap: TapID
    let device: DeviceID
    let user: [UInt8]
    /// Where it was asked for; nil for a login.
    let elevation: ElevationPlace?
    var verdict: LoginVerdict
}
