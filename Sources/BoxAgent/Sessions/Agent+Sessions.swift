import AgentCore
import AuditLog
import PhoneMessages
import Sessions
import Vault
import VaultPort

/// Sessions in the agent: what a phone owns, and what it may do to it.
extension Agent {
    func sessionOpened(
        _ claimed: SessionTarget, by device: DeviceID, program: ProgramID, actor: AuditActor
    ) async {
        let (key, target, opened) = await believed(claimed, by: program)
        if let old = sessions[key], old.openedMicroseconds != opened { await sessionEnded(key) }
        programSessions[program] = key
        sessions[key] = OwnedSession(device: device, target: target, openedAt: loop.now(), openedMicroseconds: opened)
        await auditCounted(.sessionOpened, user: target.user, device: device, by: actor)
        if let session = await logindSession(of: target) { await keep(session) }
        await track(key, extensions: 0)
        await tellState(device)
    }

    /// The program's PAM handle says that its session has ended, or the program has gone. Where logind has the session,
    /// logind has the last word.
    func programEndedSession(_ program: ProgramID) async {
        guard let key = programSessions.removeValue(forKey: program) else { return }
        if let target = sessions[key]?.target, await logindSession(of: target) != nil { return }
        await sessionEnded(key)
    }

    func sessionEnded(_ key: SessionKey) async {
        guard let session = sessions.removeValue(forKey: key) else { return }
        await auditCounted(.sessionClosed, user: session.target.user, device: session.device, by: .agent)
        if case .logind(let id) = key {
            await store("the end of a session") { vault throws(VaultError) in try await vault.forgetSession(id) }
        }
        await perform(logoutSchedule.handle(.ended(key), now: loop.now()))
        await forgetPresence(of: session.device)
        tellEnd(of: session)
        await tellState(session.device)
        expectSomebody()
    }

    func logindSession(of target: SessionTarget) async -> LogindSession? {
        guard let bytes = target.logindSession, let id = String(validating: bytes, as: UTF8.self) else { return nil }
        return await logind.session(id)
    }

    /// A phone asks for it, which may have been revoked since it did.
    func phoneAsks(_ operation: SessionOperation, forSessionsOf device: DeviceID) async -> ResultCode {
        guard !barred.contains(device) else { return .revoked }
        return await perform(operation, forSessionsOf: device, by: .phone(device.bytes))
    }

    /// Locks, unlocks or ends what a device's logins opened.
    func perform(
        _ operation: SessionOperation, forSessionsOf device: DeviceID, by actor: AuditActor, end: SessionEnd? = nil
    ) async -> ResultCode {
        await perform(operation, by: actor, end: end) { $0.device == device }
    }

    /// As above, for the sessions that `matches` chooses; all at once, and the worst outcome counts.
    func perform(
        _ operation: SessionOperation, by actor: AuditActor, end: SessionEnd? = nil,
        where matches: (OwnedSession) -> Bool
    ) async -> ResultCode {
        let chosen = sessions.filter { matches($0.value) }
        guard !chosen.isEmpty else { return .noSession }
        let running = chosen.map { key, session in
            loop.spawn { await self.perform(operation, on: session, key, by: actor, end: end) }
        }
        var worst = ResultCode.correct
        for task in running {
            switch await task.value {
            case .done: break
            // What cannot be locked may still be ended; what cannot be ended is no session that there is.
            case .cannot: worst = operation == .lock ? .cannotLock : .noSession
            case .failed: worst = operation == .lock ? .didNotLock : .boxFault
            }
        }
        return worst
    }

    /// One session's part, written down and told to its phone.
    ///
    /// - Parameter end: Why a session is ended, where the actor does not say it.
    func perform(
        _ operation: SessionOperation, on session: OwnedSession, _ key: SessionKey, by actor: AuditActor,
        detail: String? = nil, end: SessionEnd? = nil
    ) async -> SessionOutcome {
        // What logind tells while it is being done is this very change.
        let changes = sessions[key]?.isChanged(by: operation) ?? false
        if changes, operation == .logout { sessions[key]?.ending = end ?? SessionEnd(by: actor) }
        let outcome = await controller.perform(operation, on: session.target)
        let user = session.target.user
        if outcome != .done, changes, operation == .logout { sessions[key]?.ending = nil }
        switch outcome {
        case .done:
            if operation != .logout { sessions[key]?.locked = operation == .lock }
            if operation == .lock { expectSomebody() }
            // To lock what is locked changes nothing, and is no entry.
            guard changes else { break }
            await auditCounted(
                .sessionOperation, user: user, device: session.device, by: actor, paidBy: payer(actor, session),
                detail: detail ?? operation.rawValue)
        case .cannot(let reason), .failed(let reason):
            log.warning("\(operation.rawValue) of \(LogText.text(user))'s session: \(reason)")
        }
        await tellState(session.device)
        return outcome
    }

    /// Whoever asked pays: a phone, or somebody at the box, who must not use up what the phone has. What the agent does by
    /// itself follows from the phone.
    private func payer(_ actor: AuditActor, _ session: OwnedSession) -> WriteBudget.Payer {
        actor.kind == .person ? .person(session.target.user) : .device(session.device)
    }

    func setAutoLogout(_ seconds: UInt32, for device: DeviceRecord) async -> ResultCode {
        guard !barred.contains(device.id) else { return .revoked }
        guard configuration.autoLogout.bounds(with: 0).allows(seconds) else { return .notAllowed }
        do {
            guard try await vault.autoLogout(device: device.id) != seconds else { return .correct }
            guard await mayWrite(for: .device(device.id), user: device.user) else { return .busy }
            // Revoked while the vault was waited for.
            guard !barred.contains(device.id) else { return .revoked }
            try await vault.setAutoLogout(seconds, device: device.id)
        } catch {
            log.error("the automatic logout was not stored: \(error)")
            return .boxFault
        }
        let limit: Duration? = seconds == 0 ? nil : .seconds(Int64(seconds))
        await perform(logoutSchedule.handle(.awaySet(device.id, limit), now: loop.now()))
        rearm()
        return .correct
    }

    func state(for device: DeviceRecord) async -> BoxState {
        let own = sessions.values.filter { $0.device == device.id }
        let credential = (try? await vault.credentialState(device.id)) ?? nil
        let session: SessionState = own.isEmpty ? .none : own.allSatisfy(\.locked) ? .locked : .active
        let now = loop.now()
        let end = logoutSchedule.nextEnd(of: device.id)?.at
        return BoxState(
            session: session, user: own.isEmpty ? nil : device.user,
            autoLogout: configuration.autoLogout.bounds(with: await limitSeconds(of: device.id)),
            logoutInSeconds: end.map { MessageLimits.seconds(until: $0, now: now) },
            credentialStale: credential?.stale ?? false,
            pinAttemptsLeft: credential.map(\.attemptsLeft))
    }

    private func tellEnd(of session: OwnedSession) {
        let message = BoxMessage.sessionEnded(session.ending ?? .atTheBox)
        for channel in admission.channels(of: session.device.bytes) where understands(.sessionEnds, channel) {
            channels[channel]?.tell(message)
        }
    }

    func tellState(_ device: DeviceID) async {
        refreshOffer(device)
        let open = admission.channels(of: device.bytes)
        if let record = open.compactMap({ records[$0] }).first {
            tell(device, .state(await state(for: record)))
        }
        refreshWarning(device)
    }

    func limit(of device: DeviceID) async -> Duration? {
        let seconds = await limitSeconds(of: device)
        return seconds == 0 ? nil : .seconds(Int64(seconds))
    }

    private func limitSeconds(of device: DeviceID) async -> UInt32 {
        do {
            return configuration.autoLogout.effective(try await vault.autoLogout(device: device))
        } catch {
            log.error("a device's automatic logout could not be read: \(error); the shortest time holds")
            return configuration.autoLogout.shortest
        }
    }
}

extension SessionEnd {
    /// As far as it follows from who ended it.
    fileprivate init(by actor: AuditActor) {
        switch actor.kind {
        case .phone: self = .phone
        case .person where actor.uid == 0: self = .administrator
        case .agent, .person, .program: self = .atTheBox
        }
    }
}
