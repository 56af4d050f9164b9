import Names
import VaultPort

/// Deadlines that outlive the agent: what an earlier run wrote down is read, and what this one decides is written.
extension Logouts {
    /// Devices whose deadline waits for the vault, for `boxagent status`.
    package var unwritten: [DeviceID] { rows.unwritten }

    /// The sessions of an earlier run that still last are tracked. A deadline that it wrote down for a session that is gone
    /// would end the next one.
    package mutating func sessionsRead(_ out: inout Output) {
        areSessionsKnown = true
        for device in schedule.devices { perform(schedule.forget(device, now: out.time), &out) }
        forgetOwners()
    }

    /// The budget's verdict on what `wantsToWrite` told of.
    package mutating func mayWrite(_ device: DeviceID, _ isAllowed: Bool, _ out: inout Output) {
        follow(rows.judged(device, mayWrite: isAllowed), device, &out)
    }

    /// What the device's budget did not allow was counted, and the count is written down: what was left out is written, too.
    package mutating func budgetSettled(_ device: DeviceID, _ out: inout Output) {
        follow(rows.settled(device), device, &out)
    }

    /// What an earlier run wrote down, once it could be read.
    package mutating func deadlinesRead(_ found: [StoredDeadline], _ out: inout Output) {
        for deadline in found where rows.found(deadline.at, of: deadline.device) {
            handle(.restored(deadline.device, deadline: deadline.at), &out)
        }
        // The sessions came first, since the deadlines could not be read sooner.
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

    /// Its row is another one: the answer to what is being written does not count.
    mutating func dropWrite(of device: DeviceID) {
        rows.lost(device)
        pending.drop { if case .deadline(device, _) = $0 { true } else { false } }
    }

    private mutating func write(_ value: Duration?, of device: DeviceID, _ out: inout Output) {
        out.emit(.vault(pending.open(.deadline(device, value)), .setDeadline(device, value)))
    }
}
