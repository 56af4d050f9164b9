import AgentConfiguration
import AgentCore
import PhoneMessages
import Sessions
import TextOutput
import Vault
import VaultPort

/// Sessions that end by themselves: what the machine asks for is done here, and what it must know is told to it.
extension Agent {
    /// How often idleness and the clock on the wall are looked at, where a session could end by them: logind tells of a
    /// console's idleness to whoever asks only.
    static let lookInterval: Duration = .seconds(30)

    func applyLogoutLimits() async {
        let limits = LogoutLimits(configuration.autoLogout)
        await perform(logoutSchedule.handle(.limitsSet(limits), now: loop.now()))
        await lookAtSessions()
    }

    /// The administrator's bounds are other ones: they win over what phones chose before, and phones are told.
    func autoLogoutReloaded() async {
        await applyLogoutLimits()
        for device in logoutSchedule.devices {
            await perform(logoutSchedule.handle(.awaySet(device, await limit(of: device)), now: loop.now()))
        }
        rearm()
        for device in Set(records.values.map(\.id)) { await tellState(device) }
    }

    /// From here on the session's limits count, and its device's absence.
    func track(_ key: SessionKey, extensions: Int64) async {
        guard let session = sessions[key] else { return }
        let device = session.device
        await followPresence(of: device, user: session.target.user)
        await perform(logoutSchedule.handle(.awaySet(device, await limit(of: device)), now: loop.now()))
        await perform(
            logoutSchedule.handle(
                .opened(key, by: device, since: session.openedAt, extensions: extensions), now: loop.now()))
        if admission.channels(of: device.bytes).isEmpty {
            await perform(logoutSchedule.handle(.disconnected(device), now: loop.now()))
        }
        await lookAtSessions()
    }

    /// Whether what must outlive the agent for the person's sake could be written down; what could not is taken back.
    @discardableResult
    func perform(_ actions: [LogoutSchedule<SessionKey, DeviceID>.Action]) async -> Bool {
        // What protects comes first, and nobody waits for it.
        for action in actions {
            switch action {
            case .logout(let key, let cause): logOut(key, cause)
            case .logoutUnseen(let device): loop.spawn { await self.logOutUnseen(device) }
            default: continue
            }
        }
        var lost: [SessionKey] = []
        for action in actions {
            switch action {
            case .writeDeadline(let device, let deadline): await keepDeadline(deadline, of: device)
            case .clearDeadline(let device): await keepDeadline(nil, of: device)
            case .keepExtensions(let key, let extensions):
                guard case .logind(let id) = key else { continue }
                let isStored = await store("a session's extension") { vault throws(VaultError) in
                    try await vault.setExtensions(extensions, of: id)
                }
                if !isStored { lost.append(key) }
            case .warn(let key, let cause, let at): await warn(key, cause, at: at)
            case .withdrawWarning(let key): await withdrawWarning(key)
            case .extended, .cannotExtend, .logout, .logoutUnseen: continue
            }
        }
        for key in lost { await perform(logoutSchedule.handle(.extensionLost(key), now: loop.now())) }
        return lost.isEmpty
    }

    /// What time alone changes: idleness that logind does not signal, and the clock on the wall.
    func lookAtSessions() async {
        nextLook = nil
        let closing = ClosingTimes(configuration.autoLogout.closingTimes)?.untilNext(after: WallClock.secondOfDay())
        await perform(logoutSchedule.handle(.closingSet(closing.map { loop.now() + $0 }), now: loop.now()))
        if logoutSchedule.limits.idle != nil, !isReadingIdleness {
            isReadingIdleness = true
            loop.spawn { await self.readIdleness() }
        }
        if !sessions.isEmpty, closing != nil || logoutSchedule.limits.idle != nil {
            nextLook = loop.now() + Self.lookInterval
        }
        rearm()
    }

    /// Beside everything else: logind may take its time to answer.
    private func readIdleness() async {
        for key in sessions.keys {
            guard case .logind(let bytes) = key, let id = String(validating: bytes, as: UTF8.self) else { continue }
            await logind.refresh(id)
            if let session = await logind.session(id) { await noteIdleness(of: session, key) }
        }
        isReadingIdleness = false
    }

    func noteIdleness(of session: LogindSession, _ key: SessionKey) async {
        // logind counts on CLOCK_MONOTONIC, which stands still while the machine sleeps.
        let since = session.idleSince.map { $0 + WallClock.asleep() }
        await perform(logoutSchedule.handle(.idle(key, since: since), now: loop.now()))
        rearm()
    }

    private func warn(_ key: SessionKey, _ cause: LogoutCause, at: Duration) async {
        guard let session = sessions[key] else { return }
        let seconds = max(0, (at - loop.now()).components.seconds)
        let text = "This session ends in \(Plural.text(seconds, "second")): \(cause.explanation)."
        if let id = session.target.logindSession { notify(id, text) }
        log.notice("\(LogText.text(session.target.user))'s session is warned: \(cause.explanation)")
        await tellState(session.device)
    }

    private func withdrawWarning(_ key: SessionKey) async {
        guard let session = sessions[key] else { return }
        if let id = session.target.logindSession { notify(id, "") }
        await tellState(session.device)
    }

    /// Ending a session takes seconds where its programs do not want to: no other session's end waits for it.
    private func logOut(_ key: SessionKey, _ cause: LogoutCause) {
        guard let session = sessions[key] else { return }
        log.notice("logging out \(LogText.text(session.target.user))'s session: \(cause.explanation)")
        loop.spawn {
            let detail = "logout: \(cause.explanation)"
            if await self.perform(.logout, on: session, key, by: .agent, detail: detail, end: cause.end) != .done {
                self.log.error("the session could not be ended; 'boxagent logout' tries again")
            }
        }
    }

    /// A deadline outlived the agent that saw the session open: all that is still known is whose it is.
    private func logOutUnseen(_ device: DeviceID) async {
        let record: DeviceRecord?
        do {
            record = try await vault.device(device)
        } catch {
            log.error("the logout by a kept deadline: whose device \(device) is could not be read: \(error)")
            return await sessionsUnreadable()
        }
        guard let record else { return }
        let target = SessionTarget(user: record.user, logindSession: nil, terminal: nil)
        let outcome = await controller.perform(.logout, on: target)
        await audit(
            .sessionOperation, user: record.user, device: device, by: .agent, detail: "logout by a kept deadline")
        if outcome != .done { log.warning("the logout by a kept deadline: \(outcome)") }
    }
}
