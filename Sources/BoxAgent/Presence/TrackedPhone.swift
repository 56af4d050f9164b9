import AgentCore
import PhoneMessages
import Sessions
import Vault
import VaultPort

/// A phone that is here, or whose login's session is open, and what is decided about its presence.
struct TrackedPhone: Sendable {
    let device: DeviceID
    let user: [UInt8]
    var machine: Presence
    /// The thresholds are its own.
    var isCalibrated: Bool
    /// What its channels were last told.
    var offer = Offer.none
}

/// Phones whose presence is followed.
struct TrackedPhones: Sendable {
    var phones: [DeviceID: TrackedPhone] = [:]

    var deadline: Duration? { phones.values.compactMap(\.machine.deadline).min() }
}
