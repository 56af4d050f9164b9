import AgentConfiguration
import Names
import VaultPort

/// Decides whether users are at the box, by the phones that are connected or own an open session.
///
/// ```
/// (none) ──followed──► present ──near──► offered, while its sessions allow it
///   ▲                     │ ▲
///   │                  away │ back, or a tap
///   │                     ▼ │
///   └──forgotten──────── away: told, so its sessions lock and the time to their end runs
/// ```
///
/// If policy enables presence, each phone has a `Presence` machine. This component feeds it, reports its decisions, and
/// stores whether the phone's absence counts. `away` is told at once. A value is kept in memory until it is stored.
package struct Presences: Sendable {
    /// The operation that an answer belongs to.
    private enum Asked: Sendable {
        case watched(DeviceID)
        case forgetting
    }

    private(set) var phones: [DeviceID: FollowedPhone] = [:]
    private var writes = DeviceWrites<Bool>()
    private var pending = Pending<Asked>(.presences)

    package init() {}

    /// Forgets the watched phones of an earlier run that have no session, before any phone is followed.
    package mutating func started(_ out: inout Output) {
        out.emit(.vault(pending.open(.forgetting), .forgetWatchedWithoutSessions))
    }

    // MARK: - Followed phones

    /// Follows a phone from now on, even an absent one that owns a session. A phone that is already followed gets its
    /// thresholds, and a correction of assumed values.
    ///
    /// - Parameter sheet: Nil if the vault has not answered or cannot. The stricter values apply then: the
    ///   administrator's thresholds, and that the phone's absence counts.
    package mutating func followed(_ device: DeviceID, user: [UInt8], sheet: DeviceSheet?, _ out: inout Output) {
        guard phones[device] == nil else {
            if let sheet { known(sheet, &out) }
            return
        }
        // Without a sheet, assume that the phone was watched: its session has survived an earlier run of the agent.
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
            // The phone was not watched, so its absence has no meaning.
            if !sheet.isWatched || sheet.record.isWeb, let machine = phones[device]?.machine {
                phones[device]?.begin(out.policy.configuration.presence, now: out.time)
                if machine.state.isAway { out.tell(.back(device)) }
            }
        }
        thresholdsChanged(device, to: sheet.thresholds, &out)
    }

    /// Forgets a phone that has left and owns no session.
    package mutating func forgets(_ device: DeviceID, _ out: inout Output) {
        guard let phone = phones.removeValue(forKey: device), phone.isWatched else { return }
        keepWatched(false, device, phone.user, &out)
    }

    // MARK: - Events

    /// Notes that the device's first channel opened.
    package mutating func linkUp(_ device: DeviceID, _ out: inout Output) {
        phones[device]?.isLinked = true
        handle(.linkUp, of: device, &out)
    }

    /// Notes that the device's last channel ended.
    package mutating func linkDown(_ device: DeviceID, _ out: inout Output) {
        phones[device]?.isLinked = false
        handle(.linkDown, of: device, &out)
    }

    /// Treats revoked phones as absent: their messages no longer show that a user is here.
    package mutating func barred(_ devices: [DeviceID], _ out: inout Output) {
        for device in devices { linkDown(device, &out) }
    }

    /// Notes that the user tapped for a login, an unlock or an elevation.
    package mutating func tapped(_ device: DeviceID, _ out: inout Output) {
        handle(.tapped, of: device, &out)
    }

    /// - Parameter dBm: The strength at which the phone hears the box, or nil if it cannot measure.
    package mutating func reported(_ device: DeviceID, dBm: Int?, _ out: inout Output) {
        handle(.report(dBm: dBm), of: device, &out)
    }

    /// Applies the phone's own thresholds once they are stored, or removes them if nil.
    package mutating func thresholdsChanged(
        _ device: DeviceID, to measured: StoredThresholds?, _ out: inout Output
    ) {
        phones[device]?.measured = measured
        guard let phone = phones[device] else { return }
        handle(.thresholdsSet(phone.thresholds(out.policy.configuration.presence)), of: device, &out)
    }

    /// Applies new thresholds and times, or turns presence on or off.
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

    // MARK: - Decisions

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
        // A tap shows that the user is here, even if the phone left in the same step.
        if isAway, !machine.state.isAway { out.tell(.back(device)) }
    }

    // MARK: - Storage

    /// Handles the budget's decision about removing a row, after `wantsToWrite`.
    package mutating func mayWrite(_ device: DeviceID, _ isAllowed: Bool, _ out: inout Output) {
        // Keep the row if the phone's absence counts again.
        guard isAllowed, phones[device]?.isWatched != true else { return }
        write(false, of: device, &out)
    }

    /// Stores whether a phone's absence counts. Over the budget, an obsolete row stays. Counting the absence is the
    /// safe side, and a later write of the same row changes nothing.
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
        // Rows that remain are stricter than needed. The next start removes them.
        case .forgetting:
            if let failure { out.log(.error, "could not store that some phones are no longer watched: \(failure)") }
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

    /// The devices whose watch state waits for the vault, for `boxagent status`.
    package var unwritten: [DeviceID] { writes.devices }
}
