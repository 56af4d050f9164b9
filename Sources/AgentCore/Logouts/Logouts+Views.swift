import Names
import VaultPort

/// What phones, people and commands are told of, compared after every event by whoever tells them.
extension Logouts {
    /// Whoever has a session that may end by itself, or a deadline.
    package var devices: [DeviceID] { schedule.devices }

    /// Which session of the device ends first, why, and when, since boot.
    package func nextEnd(of device: DeviceID) -> (cause: LogoutCause, at: Duration)? { schedule.nextEnd(of: device) }

    /// Of the device's sessions that were warned, the one that ends first.
    package func warning(of device: DeviceID) -> LogoutSchedule<SessionKey, DeviceID>.Warning? {
        schedule.warning(of: device)
    }
}
