import Names
import VaultPort

/// Deadlines that survive a restart: reads the deadlines of an earlier run, and stores the deadlines of this run.
extension Logouts {
    /// The devices whose deadline waits for the vault, for `boxagent status`.
    package var unwritten: [DeviceID] { rows.unwritten }

    /// Drops an earlier run's deadlines without a surviving session. Such a deadline would end the next session.
    package mutating func sessionsRead(_ out: inout Output) {
        areSessionsKnown = true
        for device in schedule.devices { perform(schedule.forget(device, now: out.time), &out) }
        forgetOwners()
    }

    /// Handles the budget's decision about `wantsToWrite`.
    package mutating func mayWrite(_ device: DeviceID, _ isAllowed: Bool, _ out: inout Output) {
        follow(rows.judged(device, mayWrite: isAllowed), device, &out)
    }

    /// Writes the deferred row, because the count of the device's surplus is stored.
    package mutating func budgetSettled(_ device: DeviceID, _ out: inout Output) {
        follow(rows.settled(device), device, &out)
    }

    /// Takes the deadlines of an earlier run once they have been read.
    package mutating func deadlinesRead(_ found: [StoredDeadline], _ out: inout Output) {
        for deadline in found where rows.found(deadline.at, of: deadline.device) {
            handle(.restored(deadline.device, deadline: deadline.at), &out)
        }
        // If the sessions were read first, drop the deadlines without a session now.
        if areSessionsKnown { sessionsRead(&out) }
    }

    mutating func deadlineAnswered(_ device: DeviceID, _ value: Duration?, _ answer: Answer, _ out: inout Output) {
        let failure = answer.writeFailure
        switch rows.answered(device, value, isStored: failure == nil, now: out.time) {
        case .nothing: break
        case .write(let newer): write(newer, of: device, &out)
        case .waits(let isNew):
            guard isNew, let failure else { break }
            out.log(.error, "\(value == nil ? "a deadline's end" : "a deadline") could not be stored: \(failure)")
        }
    }

    mutating func retryDeadlines(_ out: inout Output) {
        for (device, value) in rows.due(now: out.time) { write(value, of: device, &out) }
    }

    mutating func follow(_ step: DeadlineRows.Step, _ device: DeviceID, _ out: inout Output) {
        switch step {
        case .nothing: break
        case .write(let value): write(value, of: device, &out)
        case .ask: out.tell(.wantsToWrite(.logouts, device, user: owners[device]?.user ?? []))
        }
    }

    /// Forgets the row and the answer to a write in progress, because a revocation clears the row.
    mutating func dropWrite(of device: DeviceID) {
        rows.lost(device)
        pending.drop { if case .deadline(device, _) = $0 { true } else { false } }
    }

    private mutating func write(_ value: Duration?, of device: DeviceID, _ out: inout Output) {
        out.emit(.vault(pending.open(.deadline(device, value)), .setDeadline(device, value)))
    }
}
