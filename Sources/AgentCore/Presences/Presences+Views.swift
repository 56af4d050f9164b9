import ControlProtocol
import Names
import PhoneMessages
import VaultPort

/// The presence data for phones and users.
extension Presences {
    package func isAway(_ device: DeviceID) -> Bool { phones[device]?.machine?.state.isAway ?? false }

    /// Returns what a near phone may offer, given its sessions.
    ///
    /// - Parameter sessionsAllLocked: True if all of the device's sessions are locked, or nil if it has none.
    package func offer(of device: DeviceID, sessionsAllLocked: Bool?) -> Offer {
        guard phones[device]?.machine?.state == .near else { return .none }
        return switch sessionsAllLocked {
        case nil: .logIn
        case true?: .unlock
        case false?: .none
        }
    }

    /// Returns how each phone's presence is decided, in the order of the device ids.
    ///
    /// - Parameter user: Nil for root, who sees all phones. Others see the phones of their own user.
    package func listings(ofUser user: [UInt8]?, policy: Policy, now: Duration) -> [PresenceListing] {
        phones.keys.inOrder.compactMap { device in
            guard let phone = phones[device], user == nil || phone.user == user, let machine = phone.machine else {
                return nil
            }
            return PresenceListing(
                device, user: phone.user, machine.explanation(now: now),
                isCalibrated: phone.isCalibrated(policy.configuration.presence))
        }
    }
}

extension PresenceListing {
    fileprivate init(_ device: DeviceID, user: [UInt8], _ said: PresenceExplanation, isCalibrated: Bool) {
        self.init(device: Array("\(device)".utf8), user: user)
        state = said.state
        connected = said.isLinked
        link = said.link
        minusTenthsDBm = said.smoothedTenthsDBm.map { UInt64(clamping: -$0) }
        samples = UInt64(clamping: said.samples)
        minusNearDBm = UInt64(clamping: -said.nearDBm)
        minusFarDBm = UInt64(clamping: -said.farDBm)
        calibrated = isCalibrated
        why = said.why
        next = said.next ?? ""
        nextMilliseconds = said.nextMilliseconds.map { UInt64(clamping: $0) }
    }
}
