import AgentConfiguration
import PhoneMessages

extension Configuration.AutoLogout {
    /// What a phone is told: the time that holds, and what may be chosen.
    package func bounds(with seconds: UInt32) -> PhoneMessages.AutoLogout {
        PhoneMessages.AutoLogout(
            seconds: seconds, minimumSeconds: UInt32(clamping: minimumSeconds),
            maximumSeconds: UInt32(clamping: maximumSeconds), mayBeOff: mayBeOff)
    }

    /// The time that holds for a device: its choice within the administrator's bounds, which may have changed since.
    package func effective(_ chosen: UInt32?) -> UInt32 {
        guard let chosen else { return UInt32(clamping: defaultSeconds) }
        if chosen == 0 { return mayBeOff ? 0 : UInt32(clamping: maximumSeconds) }
        return min(max(chosen, UInt32(clamping: minimumSeconds)), UInt32(clamping: maximumSeconds))
    }

    /// The time that holds while a device's choice cannot be read: whoever is away is logged out sooner, not later.
    package var shortest: UInt32 { UInt32(clamping: max(1, minimumSeconds)) }
}
