import Names
import VaultPort

/// The data for phones, users and commands. It is compared after every event to decide whom to tell.
extension Logouts {
    /// The devices with a session that may end automatically, or with a deadline.
    package var devices: [DeviceID] { schedule.devices }

    /// Returns the cause and the time, since boot, of the first end among the device's sessions.
    package func nextEnd(of device: DeviceID) -> (cause: LogoutCause, at: Duration)? { schedule.nextEnd(of: device) }

    /// Returns the warning of the device's session that ends first.
    package func warning(of device: DeviceID) -> LogoutSchedule<SessionKey, DeviceID>.Warning? {
        schedule.warning(of: device)
    }
}
