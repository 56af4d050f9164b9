import Names
import VaultPort

/// The deadlines of absent phones as they stand in the vault: a phone that comes and goes all the time pays for its row.
///
/// Where the budget is used up, the deadline that stands stays: it is the earlier one, so that an agent that is ended
/// meanwhile logs out too early rather than never. What it should be is written once the count is.
///
/// Pure. Nothing is left out that would leave a session without its deadline: one where none stands, and one that comes
/// sooner than what stands, nobody is asked for.
package struct DeadlineRows: Sendable {
    package enum Step: Equatable, Sendable {
        case nothing
        /// Nil clears the row.
        case write(Duration?)
        /// Whether this may be written is the budget's to say: `judged` takes the verdict.
        case ask
    }

    private var stored: [DeviceID: Duration] = [:]
    /// What should stand there, of devices that are over their budget or were not judged yet.
    private var deferred: [DeviceID: Duration?] = [:]
    private var writes = DeviceWrites<Duration?>()

    package init() {}

    /// When a write is tried again.
    package var deadline: Duration? { writes.deadline }

    /// Devices whose row waits for the vault. Not those that wait for the budget.
    package var unwritten: [DeviceID] { writes.devices }

    /// What was read from the vault.
    ///
    /// - Returns: Whether an earlier run of the agent wrote it, rather than this one since.
    package mutating func found(_ deadline: Duration, of device: DeviceID) -> Bool {
        guard standing(of: device) == nil else { return false }
        stored[device] = deadline
        return true
    }

    /// The device was revoked, and its row goes with that, one that is being written as well: what comes is written anew.
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

    /// What went over the budget was written down: what was left out is written, too.
    package mutating func settled(_ device: DeviceID) -> Step {
        guard let wanted = deferred.removeValue(forKey: device) else { return .nothing }
        return write(wanted, of: device)
    }

    /// - Parameter value: What was written.
    package mutating func answered(
        _ device: DeviceID, _ value: Duration?, isStored: Bool, now: Duration
    ) -> DeviceWrites<Duration?>.Next {
        let next = writes.answered(device, isStored: isStored, now: now)
        if isStored {
            stored[device] = value
        } else if stored[device] == nil, let wanted = deferred.removeValue(forKey: device) {
            // Nothing stands that could stay.
            if wanted == nil { writes.giveUp(device) } else { _ = writes.want(wanted, for: device) }
        }
        return next
    }

    package mutating func due(now: Duration) -> [(device: DeviceID, value: Duration?)] { writes.due(now: now) }

    /// What stands in the vault, or does once the write under way is stored.
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
