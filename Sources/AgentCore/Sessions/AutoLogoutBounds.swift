import AgentConfiguration
import PhoneMessages

extension Configuration.AutoLogout {
    /// Returns the limit that applies and the allowed choices, for the phone.
    package func bounds(with seconds: UInt32) -> PhoneMessages.AutoLogout {
        PhoneMessages.AutoLogout(
            seconds: seconds, minimumSeconds: UInt32(clamping: minimumSeconds),
            maximumSeconds: UInt32(clamping: maximumSeconds), mayBeOff: mayBeOff)
    }

    /// Returns the limit of a device: its choice within the administrator's bounds, which may have changed.
    package func effective(_ chosen: UInt32?) -> UInt32 {
        guard let chosen else { return UInt32(clamping: defaultSeconds) }
        if chosen == 0 { return mayBeOff ? 0 : UInt32(clamping: maximumSeconds) }
        return min(max(chosen, UInt32(clamping: minimumSeconds)), UInt32(clamping: maximumSeconds))
    }

    /// The limit while a device's choice cannot be read: the logout comes sooner rather than later.
    package var shortest: UInt32 { UInt32(clamping: max(1, minimumSeconds)) }
}
