import AgentCore
import AgentProtocol
import Sessions
import Vault
import VaultPort

/// What logind tells of sessions, and what the agent makes of it.
extension Agent {
    /// Of the delay that logind grants before it sleeps, 5 s by default (logind.conf(5), InhibitDelayMaxSec=).
    static let sleepLockLimit: Duration = .seconds(4)

    func followSessions() async {
        await logind.start { [weak self] event in
            guard let self else { return }
            self.loop.spawn { await self.heard(event) }
        }
    }

    private func heard(_ event: LogindEvent) async {
        switch event {
        case .available: await reconcileSessions()
        case .unavailable(let why): log.warning("sessions cannot be asked for: \(why)")
        case .appeared(let session):
            await keep(session)
            await settleClaims(naming: Array(session.id.utf8))
        case .changed(let session): await sessionChanged(session)
        case .removed(let session): await logindEnded(session)
        case .sleeping: await lockBeforeSleep()
        case .woke: await lookAtSessions()
        }
    }

    /// logind is there, perhaps after a restart of ours or its own: sessions that were written down and are still there
    /// are whose they were, and what is no longer there has ended.
    private func reconcileSessions() async {
        let there = Dictionary(
            await logind.sessions.map { (Array($0.id.utf8), $0) }, uniquingKeysWith: { first, _ in first })
        for key in sessions.keys {
            guard case .logind(let id) = key else { continue }
            if there[id]?.openedMicroseconds != sessions[key]?.openedMicroseconds { await sessionEnded(key) }
        }
        await settleClaims()
        let ofEarlierBoots: [StoredSession]
        let ofThisBoot: [StoredSession]
        do {
            ofEarlierBoots = try await vault.takeSessionsOfEarlierBoots()
            ofThisBoot = try await vault.sessions()
        } catch {
            // Unknown is not none: no deadline is given up.
            log.error("whose sessions are could not be read: \(error); run 'boxagent doctor'")
            return await sessionsUnreadable()
        }
        if isRestored { unreadableVault.worked() }
        for ended in ofEarlierBoots {
            await audit(
                .sessionClosed, user: ended.user, device: ended.device, by: .agent,
                detail: "the machine was started anew")
        }
        for stored in ofThisBoot {
            guard let session = there[stored.logindID], session.openedMicroseconds == stored.openedMicroseconds else {
                await audit(
                    .sessionClosed, user: stored.user, device: stored.device, by: .agent,
                    detail: "while boxagentd did not run")
                await store("the end of a session") { vault throws(VaultError) in
                    try await vault.forgetSession(stored.logindID)
                }
                continue
            }
            await adopt(stored, session)
        }
        // A deadline that an earlier run wrote down for a session that is gone would end the next one.
        for device in logoutSchedule.devices {
            await perform(logoutSchedule.forget(device, now: loop.now()))
        }
        rearm()
    }

    /// The vault does not say whose sessions are: it is asked again, and in the end every person's session is locked once.
    func sessionsUnreadable() async {
        let reaction = unreadableVault.failed(now: loop.now())
        if reaction.locks {
            log.error("the vault has not been readable for a minute: locking every person's session")
            loop.spawn { await self.lockEverybody() }
        }
        guard let retryAt = reaction.retryAt else { return }
        loop.spawn { [weak self, loop] in
            guard (try? await loop.sleep(until: retryAt)) != nil else { return }
            await self?.retryReading()
        }
    }

    private func retryReading() async {
        guard !stopping else { return }
        unreadableVault.retries()
        if !isRestored { await restoreDeadlines() }
        await reconcileSessions()
    }

    private func lockEverybody() async {
        for session in await logind.sessions where session.isOfPerson {
            let target = SessionTarget(
                user: Array(session.user.utf8), logindSession: Array(session.id.utf8),
                terminal: Array(session.terminal.utf8))
            loop.spawn {
                let outcome = await self.controller.perform(.lock, on: target)
                if outcome != .done { self.log.error("session \(session.id) was not locked: \(outcome)") }
            }
        }
    }

    private func adopt(_ stored: StoredSession, _ session: LogindSession) async {
        let key = SessionKey.logind(stored.logindID)
        guard sessions[key] == nil else { return }
        let target = SessionTarget(user: stored.user, logindSession: stored.logindID, terminal: stored.terminal)
        sessions[key] = OwnedSession(
            device: stored.device, target: target, openedAt: stored.openedAt,
            openedMicroseconds: stored.openedMicroseconds, locked: session.isLocked, isKept: true)
        log.notice("session \(session.id) of \(LogText.text(stored.user)) goes on, opened by device \(stored.device)")
        await track(key, extensions: stored.extensions)
    }

    /// Writes down whose session this is, as soon as both its program and logind have told of it.
    func keep(_ session: LogindSession) async {
        let key = SessionKey.logind(Array(session.id.utf8))
        guard let owned = sessions[key], !owned.isKept, owned.openedMicroseconds == session.openedMicroseconds else {
            return
        }
        sessions[key]?.isKept = true
        let stored = StoredSession(
            logindID: Array(session.id.utf8), device: owned.device, user: owned.target.user,
            terminal: owned.target.terminal, openedMicroseconds: session.openedMicroseconds, openedAt: owned.openedAt)
        await store("a session") { vault throws(VaultError) in try await vault.keepSession(stored) }
    }

    private func sessionChanged(_ session: LogindSession) async {
        let key = SessionKey.logind(Array(session.id.utf8))
        guard let owned = sessions[key], owned.openedMicroseconds == session.openedMicroseconds else { return }
        await noteIdleness(of: session, key)
        guard owned.locked != session.isLocked else { return }
        sessions[key]?.locked = session.isLocked
        if session.isLocked { expectSomebody() }
        await tellState(owned.device)
    }

    /// The lid closes: what phones opened is locked before the machine sleeps, or the machine sleeps all the same.
    private func lockBeforeSleep() async {
        let locking = loop.spawn {
            _ = await self.perform(.lock, by: .agent) { !$0.locked }
        }
        // Once: a lock that fails after the machine has woken must not give up the next delay.
        _ = await loop.waitForAny(of: [locking], until: loop.now() + Self.sleepLockLimit)
        await logind.maySleep()
    }
}
