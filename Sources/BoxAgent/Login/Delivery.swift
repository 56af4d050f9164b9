import PhoneMessages
import Vault

/// A credential that a program holds, until its verdict is known.
struct Delivery: Sendable {
    let tap: TapID
    let device: DeviceID
    let user: [UInt8]
    var verdict: LoginVerdict
}
