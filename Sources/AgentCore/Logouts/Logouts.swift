import AgentConfiguration
import Names
import PhoneMessages
import VaultPort

/// When sessions end by themselves, with what must outlive the agent.
///
/// ```
/// session:    tracked ──near its end──► warned ──due──► told: logoutDue
///                ▲                        │
///                └── put off, or no more ─┘
/// deadline:   (none) ──phone away──► written ──phone here, session ended──► cleared
/// extension:  (none) ──tap──► being stored ──stored──► counts, answered: correct
///                                 └──failed──► nothing has changed, answered: boxFault
/// ```
///
/// `LogoutSchedule` decides, `DeadlineRows` says what is written. An extension loosens: it counts once it is stored, and
/// whoever asked hears of it then. What ends a session is told at once, and waits for no vault.
package struct Logouts: Sendable {
    /// After so long a tap is answered without the vault's answer.
    package static let answerLimit: Duration = .seconds(60)

    /// What an answer is to.
    enum Asked: Sendable {
        case deadline(DeviceID, Duration?)
        case extending(DeviceID, SessionKey, times: Int64)
        case idleness
    }

    /// The phone of a session.
    struct Owner: Sendable {
        /// Empty where an earlier run left a deadline, and no session is known.
        var user: [UInt8] = []
        var choice = AwayChoice.unread
    }

    var schedule = LogoutSchedule<SessionKey, DeviceID>()
    var owners: [DeviceID: Owner] = [:]
    var rows = DeadlineRows()
    var extensions: [DeviceID: PendingExtension] = [:]
    var pending = Pending<Asked>(.logouts)
    private var looks = IdlenessLooks()
    /// Sessions of the run before this one that still last are tracked: a deadline of another one is of a session that is gone.
    var areSessionsKnown = false

    package init() {}

    package mutating func started(_ out: inout Output) {
        setLimits(&out)
    }

    /// The administrator's bounds are other ones: they win over what phones chose before.
    package mutating func policyChanged(_ out: inout Output) {
        setLimits(&out)
        for device in owners.keys.inOrder { setAwayTime(of: device, &out) }
    }

    // MARK: - Sessions

    /// From here on the session's limits count, and its device's absence.
    ///
    /// - Parameters:
    ///   - user: Whose session it is.
    ///   - since: When it was opened, since boot.
    ///   - extensions: How often its end was put off already.
    ///   - sheet: Nil where the vault does not say: the shortest time holds then.
    ///   - isHere: The phone has a channel, and does not count as away.
    package mutating func sessionTracked(
        _ key: SessionKey, by device: DeviceID, user: [UInt8], since: Duration, extensions: Int64, sheet: DeviceSheet?,
        isHere: Bool, _ out: inout Output
    ) {
        owners[device, default: Owner()].user = user
        if let sheet { owners[device]?.choice = AwayChoice(sheet) }
        // No deadline is written for a phone that is here; one that is neither here nor has a session is forgotten.
        if isHere { handle(.connected(device), &out) }
        setAwayTime(of: device, &out)
        // Before the session, which gets the closing that is next now.
        setClosing(&out)
        handle(.opened(key, by: device, since: since, extensions: extensions), &out)
        if !isHere { handle(.disconnected(device), &out) }
        look(&out)
    }

    package mutating func sessionEnded(_ key: SessionKey, _ out: inout Output) {
        handle(.ended(key), &out)
        forgetOwners()
    }

    /// - Parameter since: Without a sign of life since then, since boot; nil: somebody works.
    package mutating func idle(_ key: SessionKey, since: Duration?, _ out: inout Output) {
        handle(.idle(key, since: since), &out)
    }

    // MARK: - Phones

    /// The time to the automatic logout runs while the phone is away, also if its link still stands.
    ///
    /// - Parameter isHere: It has a channel, and does not count as away.
    package mutating func counted(_ device: DeviceID, asHere isHere: Bool, _ out: inout Output) {
        handle(isHere ? .connected(device) : .disconnected(device), &out)
    }

    /// The phone chose a time, which is stored; or the vault could be read again.
    package mutating func awayTimeSet(_ sheet: DeviceSheet, _ out: inout Output) {
        let device = sheet.record.id
        guard owners[device] != nil || schedule.devices.contains(device) else { return }
        owners[device, default: Owner()].choice = AwayChoice(sheet)
        setAwayTime(of: device, &out)
    }

    /// Revoked: what their phones asked for has no effect any more. The revocation clears their rows, and their sessions
    /// still end when their phones stay away: that is written anew, behind it.
    package mutating func barred(_ devices: [DeviceID], _ out: inout Output) {
        for device in devices {
            dropExtension(of: device)
            dropWrite(of: device)
            guard let deadline = schedule.awayDeadline(of: device) else { continue }
            follow(rows.want(deadline, of: device), device, &out)
        }
    }

    // MARK: - Time

    package var deadline: Duration? {
        ([schedule.deadline, looks.deadline, rows.deadline] + extensions.values.map(\.until))
            .compactMap(\.self).min()
    }

    package mutating func timeHasCome(_ out: inout Output) {
        if schedule.deadline.map({ $0 <= out.time }) ?? false { handle(.timer, &out) }
        retryDeadlines(&out)
        giveUpExtensions(&out)
        let (isGivenUp, isDue) = looks.timeHasCome(now: out.time)
        if isGivenUp { pending.drop { if case .idleness = $0 { true } else { false } } }
        if isDue { look(&out) }
        forgetOwners()
    }

    /// The machine has slept: the clock on the wall went on.
    package mutating func woke(_ out: inout Output) {
        look(&out)
    }

    package mutating func answered(_ id: OperationID, _ answer: Answer, _ out: inout Output) {
        switch pending.close(id) {
        case nil: break
        case .deadline(let device, let value): deadlineAnswered(device, value, answer, &out)
        case .extending(let device, let key, let times): extensionAnswered(device, key, times, answer, &out)
        // What changed has come as events.
        case .idleness: looks.ended()
        }
    }

    // MARK: - What time alone changes

    /// Idleness that logind does not signal, and the clock on the wall.
    private mutating func look(_ out: inout Output) {
        looks.next = nil
        let closes = setClosing(&out)
        let sessions = schedule.openSessions
        guard !sessions.isEmpty else { return }
        if schedule.limits.idle != nil, !looks.isUnderWay { askForIdleness(of: sessions, &out) }
        if closes || schedule.limits.idle != nil { looks.next = out.time + IdlenessLooks.interval }
    }

    /// Whether the site ever closes.
    @discardableResult
    private mutating func setClosing(_ out: inout Output) -> Bool {
        let times = ClosingTimes(out.policy.configuration.autoLogout.closingTimes)
        let left = times?.untilNext(after: out.now.secondOfDay)
        handle(.closingSet(left.map { out.time + $0 }), &out)
        return left != nil
    }

    private mutating func askForIdleness(of sessions: [SessionKey], _ out: inout Output) {
        let known = sessions.compactMap { key -> String? in
            guard case .logind(let bytes) = key else { return nil }
            return String(validating: bytes, as: UTF8.self)
        }
        guard !known.isEmpty else { return }
        looks.begun(now: out.time)
        out.emit(.lookUp(pending.open(.idleness), .idleness(known)))
    }

    // MARK: - What follows

    private mutating func setLimits(_ out: inout Output) {
        handle(.limitsSet(LogoutLimits(out.policy.configuration.autoLogout)), &out)
        look(&out)
    }

    private mutating func setAwayTime(of device: DeviceID, _ out: inout Output) {
        guard let owner = owners[device] else { return }
        let limit = owner.choice.limit(out.policy.configuration.autoLogout)
        handle(.awaySet(device, limit, isGuess: owner.choice == .unread), &out)
    }

    mutating func forgetOwners() {
        let kept = Set(schedule.devices)
        owners = owners.filter { kept.contains($0.key) }
    }

    mutating func handle(_ event: LogoutSchedule<SessionKey, DeviceID>.Event, _ out: inout Output) {
        perform(schedule.handle(event, now: out.time), &out)
    }

    /// What ends a session comes first, and nobody waits for it.
    mutating func perform(_ actions: [LogoutSchedule<SessionKey, DeviceID>.Action], _ out: inout Output) {
        for action in actions {
            switch action {
            case .logout(let key, let cause): out.tell(.logoutDue(key, cause))
            case .logoutUnseen(let device): out.tell(.logoutDueUnseen(device))
            default: continue
            }
        }
        for action in actions {
            switch action {
            case .writeDeadline(let device, let deadline): follow(rows.want(deadline, of: device), device, &out)
            case .clearDeadline(let device): follow(rows.want(nil, of: device), device, &out)
            case .warn(let key, let cause, let at): out.tell(.warned(key, cause, at: at))
            case .withdrawWarning(let key): out.tell(.warningWithdrawn(key))
            case .logout, .logoutUnseen: continue
            }
        }
    }
}
