import AgentConfiguration
import Names
import VaultPort

/// Whether people are at the box, by the phones that are here and those whose login's session is open.
///
/// ```
/// (none) ──followed──► present ──near──► offered, while its sessions let it
///   ▲                     │ ▲
///   │                  away │ back, or a tap
///   │                     ▼ │
///   └──forgotten──────── away: told, so that its sessions lock and the time to their end runs
/// ```
///
/// Each phone has a `Presence` machine, while policy wants one; this room feeds it, tells what follows, and writes down whether
/// the phone's absence counts. `away` is told at once; what is written holds in memory until it is stored.
package struct Presences: Sendable {
    /// What an answer is to.
    private enum Asked: Sendable {
        case watched(DeviceID)
        case forgetting
    }

    private(set) var phones: [DeviceID: FollowedPhone] = [:]
    private var writes = DeviceWrites<Bool>()
    private var pending = Pending<Asked>(.presences)

    package init() {}

    /// Whose absence counted for an earlier run, and who has no session: before anybody is followed.
    package mutating func started(_ out: inout Output) {
        out.emit(.vault(pending.open(.forgetting), .forgetWatchedWithoutSessions))
    }

    // MARK: - Who is followed

    /// Follows a phone from now on; one that is not here, too, once it owns a session. One that is followed already is told
    /// of its thresholds, and of what was assumed of it.
    ///
    /// - Parameter sheet: Nil where the vault does not say, or has not yet. That is taken for what locks sooner: the
    ///   administrator's thresholds, and a phone that has to come back.
    package mutating func followed(_ device: DeviceID, user: [UInt8], sheet: DeviceSheet?, _ out: inout Output) {
        guard phones[device] == nil else {
            if let sheet { known(sheet, &out) }
            return
        }
        // A session outlived an earlier agent, and its phone was watched.
        var phone = FollowedPhone(
            user: user, isWeb: sheet?.record.isWeb ?? false, measured: sheet?.thresholds,
            wasWatched: sheet?.isWatched ?? true)
        phone.isAssumed = sheet == nil
        let policy = out.policy.configuration.presence
        if policy.enabled { phone.begin(policy, now: out.time) }
        phones[device] = phone
    }

    private mutating func known(_ sheet: DeviceSheet, _ out: inout Output) {
        let device = sheet.record.id
        if phones[device]?.isAssumed ?? false {
            phones[device]?.isAssumed = false
            phones[device]?.isWeb = sheet.record.isWeb
            phones[device]?.wasWatched = sheet.isWatched
            // It was not watched: its absence says nothing.
            if !sheet.isWatched || sheet.record.isWeb, let machine = phones[device]?.machine {
                phones[device]?.begin(out.policy.configuration.presence, now: out.time)
                if machine.state.isAway { out.tell(.back(device)) }
            }
        }
        thresholdsChanged(device, to: sheet.thresholds, &out)
    }

    /// A phone that is gone and owns nothing is not kept.
    package mutating func forgets(_ device: DeviceID, _ out: inout Output) {
        guard let phone = phones.removeValue(forKey: device), phone.isWatched else { return }
        keepWatched(false, device, phone.user, &out)
    }

    // MARK: - What happens

    /// Its first channel opened.
    package mutating func linkUp(_ device: DeviceID, _ out: inout Output) {
        phones[device]?.isLinked = true
        handle(.linkUp, of: device, &out)
    }

    /// Its last channel has gone.
    package mutating func linkDown(_ device: DeviceID, _ out: inout Output) {
        phones[device]?.isLinked = false
        handle(.linkDown, of: device, &out)
    }

    /// Revoked: whatever its phone still sends is no sign of a person.
    package mutating func barred(_ devices: [DeviceID], _ out: inout Output) {
        for device in devices { linkDown(device, &out) }
    }

    /// The person tapped for a login, an unlock or an elevation.
    package mutating func tapped(_ device: DeviceID, _ out: inout Output) {
        handle(.tapped, of: device, &out)
    }

    /// - Parameter dBm: How strongly the phone hears the box; nil: it cannot measure.
    package mutating func reported(_ device: DeviceID, dBm: Int?, _ out: inout Output) {
        handle(.report(dBm: dBm), of: device, &out)
    }

    /// What the phone measured for itself is stored, or forgotten (nil).
    package mutating func thresholdsChanged(
        _ device: DeviceID, to measured: StoredThresholds?, _ out: inout Output
    ) {
        phones[device]?.measured = measured
        guard let phone = phones[device] else { return }
        handle(.thresholdsSet(phone.thresholds(out.policy.configuration.presence)), of: device, &out)
    }

    /// New thresholds, times, or none of it.
    package mutating func policyChanged(_ out: inout Output) {
        for device in phones.keys.inOrder { changePolicy(of: device, out.policy.configuration.presence, &out) }
    }

    private mutating func changePolicy(
        of device: DeviceID, _ policy: Configuration.Presence, _ out: inout Output
    ) {
        guard let phone = phones[device] else { return }
        switch (phone.machine, policy.enabled) {
        case (nil, false): break
        case (let machine?, false):
            phones[device]?.end()
            if machine.state.isAway { out.tell(.back(device)) }
        case (nil, true):
            phones[device]?.begin(policy, now: out.time)
            if phone.isLinked { handle(.linkUp, of: device, &out) }
        case (_?, true):
            handle(.policySet(policy.policy), of: device, &out)
            handle(.thresholdsSet(phone.thresholds(policy)), of: device, &out)
        }
    }

    // MARK: - What follows

    private mutating func handle(_ event: Presence.Event, of device: DeviceID, _ out: inout Output) {
        guard let before = phones[device]?.machine else { return }
        let actions = phones[device]?.handle(event, now: out.time) ?? []
        guard let phone = phones[device], let machine = phone.machine else { return }
        if machine.hasReported != before.hasReported { keepWatched(machine.hasReported, device, phone.user, &out) }
        var isAway = before.state.isAway
        for action in actions {
            switch action {
            case .away:
                isAway = true
                out.tell(.away(device, why: machine.explanation(now: out.time).why))
            case .back:
                isAway = false
                out.log(.info, "device \(device) is back")
                out.tell(.back(device))
            case .offer, .withdrawOffer: continue
            }
        }
        // A tap: somebody is here, even if the phone left in the same step.
        if isAway, !machine.state.isAway { out.tell(.back(device)) }
    }

    // MARK: - What is written down

    /// The budget's verdict on what `wantsToWrite` told of: a row that should go.
    package mutating func mayWrite(_ device: DeviceID, _ isAllowed: Bool, _ out: inout Output) {
        // It counts again since.
        guard isAllowed, phones[device]?.isWatched != true else { return }
        write(false, of: device, &out)
    }

    /// Writes down whether a phone's absence counts. Over the budget a row stays that should go: it counts, which is the
    /// safe side, and to write it once more changes nothing.
    private mutating func keepWatched(_ isWatched: Bool, _ device: DeviceID, _ user: [UInt8], _ out: inout Output) {
        guard isWatched else { return out.tell(.wantsToWrite(.presences, device, user: user)) }
        write(true, of: device, &out)
    }

    private mutating func write(_ isWatched: Bool, of device: DeviceID, _ out: inout Output) {
        guard let value = writes.want(isWatched, for: device) else { return }
        emit(value, of: device, &out)
    }

    private mutating func emit(_ isWatched: Bool, of device: DeviceID, _ out: inout Output) {
        out.emit(.vault(pending.open(.watched(device)), .setWatched(device, isWatched)))
    }

    package mutating func answered(_ id: OperationID, _ answer: Answer, _ out: inout Output) {
        let failure = answer.writeFailure
        switch pending.close(id) {
        case nil: break
        // Rows that stay count for more than they should, and the next start removes them.
        case .forgetting:
            if let failure { out.log(.error, "the end of watching some phones could not be stored: \(failure)") }
        case .watched(let device):
            switch writes.answered(device, isStored: failure == nil, now: out.time) {
            case .nothing: break
            case .write(let newer): emit(newer, of: device, &out)
            case .waits(let isNew):
                guard isNew, let failure else { break }
                out.log(.error, "a phone's watch state could not be stored: \(failure)")
            }
        }
    }

    // MARK: - Time

    package var deadline: Duration? {
        (phones.values.map(\.machine?.deadline) + [writes.deadline]).compactMap(\.self).min()
    }

    package mutating func timeHasCome(_ out: inout Output) {
        for device in phones.keys.inOrder {
            guard let due = phones[device]?.machine?.deadline, due <= out.time else { continue }
            handle(.timer, of: device, &out)
        }
        for (device, isWatched) in writes.due(now: out.time) { emit(isWatched, of: device, &out) }
    }

    /// Devices of which it waits for the vault whether their absence counts, for `boxagent status`.
    package var unwritten: [DeviceID] { writes.devices }
}
