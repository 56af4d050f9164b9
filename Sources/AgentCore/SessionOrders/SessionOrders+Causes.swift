import Names
import PhoneMessages
import VaultPort

/// Session operations that the agent starts itself, and their consequences.
extension SessionOrders {
    /// Locks the sessions of a phone that left.
    ///
    /// - Parameter why: The reason why the phone counts as away, for the log.
    package mutating func away(
        _ device: DeviceID, why: String, _ sessions: [KnownSession], _ out: inout Output
    ) {
        let own = Self.sessions(sessions, of: device)
        guard own.contains(where: { !($0.owned?.session.locked ?? true) }) else { return }
        out.log(.notice, "device \(device) is away: locking its sessions; \(why)")
        begin(.lock, on: own, for: .absence(device, own), by: .agent, &out)
    }

    /// Locks the sessions of a phone that its site has revoked, or whose box leaves the site.
    package mutating func takenBack(
        _ device: DeviceID, why: String, _ sessions: [KnownSession], _ out: inout Output
    ) {
        let own = Self.sessions(sessions, of: device)
        guard own.contains(where: { !($0.owned?.session.locked ?? true) }) else { return }
        out.log(.notice, "locking the sessions of device \(device): \(why)")
        begin(.lock, on: own, for: .absence(device, own), by: .agent, &out)
    }

    /// Logs a session out. The session's programs may delay the logout by seconds, but no other session waits for it.
    package mutating func logoutDue(
        _ key: SessionKey, _ cause: LogoutCause, _ sessions: [KnownSession], _ out: inout Output
    ) {
        guard let session = sessions.first(where: { $0.owned?.key == key }) else { return }
        out.log(.notice, "logging out \(LogText.text(session.target.user))'s session: \(cause.explanation)")
        begin(
            .logout, on: [session], for: .limit, by: .agent, detail: "logout: \(cause.explanation)", end: cause.end,
            &out)
    }

    /// Logs a user out by a deadline of an earlier run, of which only the device is known.
    ///
    /// - Parameter record: Nil if only the vault knows the device.
    package mutating func logoutDueUnseen(_ device: DeviceID, record: DeviceRecord?, _ out: inout Output) {
        guard let record else { return readOwner(of: device, &out) }
        logOutUnseen(record, &out)
    }

    /// Locks every user's session once, because the owners of sessions are unknown.
    package mutating func lockEverybody(_ sessions: [KnownSession], _ out: inout Output) {
        for session in sessions {
            guard let known = session.logind, known.isOfPerson else { continue }
            let target = SessionTarget(
                user: Array(known.user.utf8), logindSession: known.idBytes,
                terminal: Array(known.terminal.utf8))
            let act = SessionAct(.lock, on: .other(target), by: .agent, until: out.time + SessionAct.limit)
            begin([act], .lock, for: .ownersUnknown(session: known.id), end: .atTheBox, &out)
        }
    }

    // MARK: - Stored deadlines

    mutating func readOwner(of device: DeviceID, _ out: inout Output) {
        out.emit(.vault(pending.open(.owner(device)), .readDevice(device)))
    }

    mutating func ownerAnswered(_ device: DeviceID, _ answer: Answer, _ out: inout Output) {
        guard case .vault(.sheet(let sheet)) = answer else {
            out.log(
                .error,
                "logout by a stored deadline: the owner of device \(device) could not be read: \(answer.problem)")
            unseen.failed(device, now: out.time)
            return out.tell(.ownerUnreadable)
        }
        unseen.worked()
        if let sheet { logOutUnseen(sheet.record, &out) }
    }

    private mutating func logOutUnseen(_ record: DeviceRecord, _ out: inout Output) {
        let target = SessionTarget(user: record.user, logindSession: nil, terminal: nil)
        let act = SessionAct(.logout, on: .other(target), by: .agent, until: out.time + SessionAct.limit)
        begin([act], .logout, for: .unseen(record.id, user: record.user), end: .away, &out)
    }

    // MARK: - Results

    mutating func finish(
        _ order: SessionOrder, _ number: UInt64, _ outcomes: [SessionOutcome], _ sessions: [KnownSession],
        _ out: inout Output
    ) {
        let first = outcomes.first ?? .done
        switch order.waiter {
        case .phone(let tap, _): out.answer(tap, SessionOrder.code(order.operation, outcomes))
        case .command(let control, let chosen): reply(control, chosen, order.operation, outcomes, &out)
        case .absence(let device, let locked):
            let failed = zip(locked, outcomes).filter { $0.1 != .done }.compactMap(\.0.owned)
            if !failed.isEmpty { didNotLock(failed, of: device, sessions, &out) }
        case .sleep:
            guard sleeping?.order == number else { return }
            sleeping = nil
            out.emit(.allowSleep)
        case .limit:
            if first != .done { out.log(.error, "the session could not be ended; to try again, run 'boxagent logout'") }
        case .unseen(let device, let user):
            if let reason = first.reason { return out.log(.warning, "no logout by a stored deadline: \(reason)") }
            out.record(
                .sessionOperation, user: user, device: device, by: .agent, detail: "logout by a stored deadline")
        case .ownersUnknown(let session):
            if let reason = first.reason { out.log(.error, "session \(session) was not locked: \(reason)") }
        case .nobody: break
        }
    }

    /// Reports or ends sessions that did not lock when their phone left, as the policy says. Sessions that have ended
    /// or were locked meanwhile are left alone.
    private mutating func didNotLock(
        _ failed: [KnownSession.Owned], of device: DeviceID, _ sessions: [KnownSession], _ out: inout Output
    ) {
        let policy = out.policy.configuration.presence.onLockFailure
        out.log(
            .warning,
            "a session of device \(device) did not lock when its phone left; policy: \(policy.rawValue)")
        guard policy == .terminate else { return }
        let unlocked = Self.sessions(sessions, of: device).filter { session in
            guard let owned = session.owned, !owned.session.locked else { return false }
            return failed.contains { $0.session.isSame(as: owned.session) }
        }
        guard !unlocked.isEmpty else { return }
        begin(.logout, on: unlocked, for: .nobody, by: .agent, end: .notLocked, &out)
    }
}
