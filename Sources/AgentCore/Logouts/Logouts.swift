import AgentConfiguration
import Names
import PhoneMessages
import VaultPort

/// Automatic logouts, and the data about them that must survive the agent.
///
/// ```
/// session:    tracked ──near its end──► warned ──due──► told: logoutDue
///                ▲                        │
///                └── postponed or moot ───┘
/// deadline:   (none) ──phone away──► written ──phone here, session ended──► cleared
/// extension:  (none) ──tap──► being stored ──stored──► counts, answered: correct
///                                 └──failed──► nothing has changed, answered: boxFault
/// ```
///
/// `LogoutSchedule` decides, and `DeadlineRows` chooses what to write. An extension weakens a limit, so it counts and
/// is answered only once it is stored. The end of a session is told at once, without waiting for the vault.
package struct Logouts: Sendable {
    /// A tap is answered after this time even if the vault has not answered.
    package static let answerLimit: Duration = .seconds(60)

    /// The operation that an answer belongs to.
    enum Asked: Sendable {
        case deadline(DeviceID, Duration?)
        case extending(DeviceID, SessionKey, times: Int64)
        case idleness
    }

    /// The user and the choice of a session's phone.
    struct Owner: Sendable {
        /// Empty for a deadline of an earlier run without a known session.
        var user: [UInt8] = []
        var choice = AwayChoice.unread
    }

    var schedule = LogoutSchedule<SessionKey, DeviceID>()
    var owners: [DeviceID: Owner] = [:]
    var rows = DeadlineRows()
    var extensions: [DeviceID: PendingExtension] = [:]
    var pending = Pending<Asked>(.logouts)
    private var looks = IdlenessLooks()
    /// True once the earlier run's surviving sessions are tracked. Then other stored deadlines are obsolete.
    var areSessionsKnown = false

    package init() {}

    package mutating func started(_ out: inout Output) {
        setLimits(&out)
    }

    /// Applies the administrator's new bounds, which override earlier choices of phones.
    package mutating func policyChanged(_ out: inout Output) {
        setLimits(&out)
        for device in owners.keys.inOrder { setAwayTime(of: device, &out) }
    }

    // MARK: - Sessions

    /// Starts to track the session's limits and its device's absence.
    ///
    /// - Parameters:
    ///   - user: The session's user.
    ///   - since: The time of opening, since boot.
    ///   - extensions: The number of times that its end was postponed.
    ///   - sheet: Nil if the vault cannot be read. The shortest time applies then.
    ///   - isHere: True if the phone has a channel and does not count as away.
    package mutating func sessionTracked(
        _ key: SessionKey, by device: DeviceID, user: [UInt8], since: Duration, extensions: Int64, sheet: DeviceSheet?,
        isHere: Bool, _ out: inout Output
    ) {
        owners[device, default: Owner()].user = user
        if let sheet { owners[device]?.choice = AwayChoice(sheet) }
        // Connect first, because a phone that is here needs no deadline. Disconnect last, because a phone with neither
        // channel nor session is forgotten.
        if isHere { handle(.connected(device), &out) }
        setAwayTime(of: device, &out)
        // Set the closing time first, so that the session gets it.
        setClosing(&out)
        handle(.opened(key, by: device, since: since, extensions: extensions), &out)
        if !isHere { handle(.disconnected(device), &out) }
        look(&out)
    }

    package mutating func sessionEnded(_ key: SessionKey, _ out: inout Output) {
        handle(.ended(key), &out)
        forgetOwners()
    }

    /// - Parameter since: The time of the last input, since boot, or nil if the user is active.
    package mutating func idle(_ key: SessionKey, since: Duration?, _ out: inout Output) {
        handle(.idle(key, since: since), &out)
    }

    // MARK: - Phones

    /// Starts or stops the time to the automatic logout. It runs while the phone is away, even with a link.
    ///
    /// - Parameter isHere: True if the phone has a channel and does not count as away.
    package mutating func counted(_ device: DeviceID, asHere isHere: Bool, _ out: inout Output) {
        handle(isHere ? .connected(device) : .disconnected(device), &out)
    }

    /// Applies a stored choice of the phone, or a choice that the vault can now read again.
    package mutating func awayTimeSet(_ sheet: DeviceSheet, _ out: inout Output) {
        let device = sheet.record.id
        guard owners[device] != nil || schedule.devices.contains(device) else { return }
        owners[device, default: Owner()].choice = AwayChoice(sheet)
        setAwayTime(of: device, &out)
    }

    /// Cancels the extensions of revoked devices. The revocation clears their rows, but their sessions must still end
    /// when the phones stay away. Their deadlines are therefore written again.
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

    /// Checks the closing times again: the wall clock advanced during suspend.
    package mutating func woke(_ out: inout Output) {
        look(&out)
    }

    package mutating func answered(_ id: OperationID, _ answer: Answer, _ out: inout Output) {
        switch pending.close(id) {
        case nil: break
        case .deadline(let device, let value): deadlineAnswered(device, value, answer, &out)
        case .extending(let device, let key, let times): extensionAnswered(device, key, times, answer, &out)
        // The changes have arrived as events.
        case .idleness: looks.ended()
        }
    }

    // MARK: - Periodic checks

    /// Checks the idleness that logind does not signal, and the wall clock.
    private mutating func look(_ out: inout Output) {
        looks.next = nil
        let closes = setClosing(&out)
        let sessions = schedule.openSessions
        guard !sessions.isEmpty else { return }
        if schedule.limits.idle != nil, !looks.isUnderWay { askForIdleness(of: sessions, &out) }
        if closes || schedule.limits.idle != nil { looks.next = out.time + IdlenessLooks.interval }
    }

    /// Updates the next closing time. Returns whether a closing time is configured.
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

    // MARK: - Actions

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

    /// Performs the actions. Ends of sessions come first and wait for nothing.
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
