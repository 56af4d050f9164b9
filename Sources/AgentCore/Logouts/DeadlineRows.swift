import Names
import VaultPort

/// The deadlines of absent phones as stored in the vault. A phone that keeps coming and going pays for the writes.
///
/// Pure. When the budget is used up, the earlier deadline stays stored. An agent that stops meanwhile then logs out too
/// early rather than never. The correct value is written once the count of refused writes is stored. A first or sooner
/// deadline needs no budget.
package struct DeadlineRows: Sendable {
    package enum Step: Equatable, Sendable {
        case nothing
        /// Writes the row, or clears it if the value is nil.
        case write(Duration?)
        /// The budget must decide about this write. `judged` takes the decision.
        case ask
    }

    private var stored: [DeviceID: Duration] = [:]
    /// The values not yet stored, of devices that are over their budget or wait for its decision.
    private var deferred: [DeviceID: Duration?] = [:]
    private var writes = DeviceWrites<Duration?>()

    package init() {}

    /// The time of the next retry.
    package var deadline: Duration? { writes.deadline }

    /// The devices whose row waits for the vault, but not those that wait for the budget.
    package var unwritten: [DeviceID] { writes.devices }

    /// Takes a deadline that was read from the vault.
    ///
    /// - Returns: True if an earlier run of the agent wrote it, false if this run did.
    package mutating func found(_ deadline: Duration, of device: DeviceID) -> Bool {
        guard standing(of: device) == nil else { return false }
        stored[device] = deadline
        return true
    }

    /// Forgets the row of a revoked device, even during a write. Later deadlines are written again.
    package mutating func lost(_ device: DeviceID) {
        stored[device] = nil
        deferred[device] = nil
        writes.forget(device)
    }

    package mutating func want(_ deadline: Duration?, of device: DeviceID) -> Step {
        deferred[device] = nil
        if let standing = standing(of: device) {
            guard let deadline, deadline < standing else {
                deferred[device] = .some(deadline)
                return .ask
            }
        } else if deadline == nil {
            writes.giveUp(device)
            return .nothing
        }
        return write(deadline, of: device)
    }

    package mutating func judged(_ device: DeviceID, mayWrite: Bool) -> Step {
        mayWrite ? settled(device) : .nothing
    }

    /// Writes the deferred value, because the count of the device's surplus is stored.
    package mutating func settled(_ device: DeviceID) -> Step {
        guard let wanted = deferred.removeValue(forKey: device) else { return .nothing }
        return write(wanted, of: device)
    }

    /// - Parameter value: The value that was written.
    package mutating func answered(
        _ device: DeviceID, _ value: Duration?, isStored: Bool, now: Duration
    ) -> DeviceWrites<Duration?>.Next {
        let next = writes.answered(device, isStored: isStored, now: now)
        if isStored {
            stored[device] = value
        } else if stored[device] == nil, let wanted = deferred.removeValue(forKey: device) {
            // The deferred value replaces the failed one, because no earlier row is stored.
            if wanted == nil { writes.giveUp(device) } else { _ = writes.want(wanted, for: device) }
        }
        return next
    }

    package mutating func due(now: Duration) -> [(device: DeviceID, value: Duration?)] { writes.due(now: now) }

    /// Returns the value in the vault, or its value after the write in progress.
    private func standing(of device: DeviceID) -> Duration? {
        switch writes.coming(for: device) {
        case .some(let coming): coming
        case nil: stored[device]
        }
    }

    private mutating func write(_ deadline: Duration?, of device: DeviceID) -> Step {
        writes.want(deadline, for: device).map { .write($0) } ?? .nothing
    }
}
