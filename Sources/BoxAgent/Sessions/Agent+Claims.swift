import AgentCore
import Sessions

/// What programs say of their sessions, and what logind says to that.
extension Agent {
    /// What logind says to the session that the program names.
    func claim(of target: SessionTarget, by program: ProgramID) async -> SessionClaim {
        guard let bytes = target.logindSession else { return .none }
        guard let id = String(validating: bytes, as: UTF8.self) else { return .refused("its name is no text") }
        guard await logind.absence == nil else { return .unknown }
        let session = await logind.lookUp(id)
        // Asking failed, rather than logind saying no.
        if session == nil, await logind.absence != nil { return .unknown }
        let process = askers[program]?.caller.pid
        var number: UInt32?
        if let session, Array(session.user.utf8) != target.user { number = await accounts.uid(of: target.user) }
        var processSession: String?
        if let process, process != session?.leader { processSession = await logind.ownSession(ofProcess: process)?.id }
        return SessionClaim(
            session, ofUser: target.user, number: number, process: process, processSession: processSession)
    }

    /// The session that a program has opened, without what logind does not confirm: who it is known by, and since when.
    func believed(_ target: SessionTarget, by program: ProgramID) async -> (SessionKey, SessionTarget, Int64?) {
        let alone = SessionTarget(user: target.user, logindSession: nil, terminal: target.terminal)
        switch await claim(of: target, by: program) {
        case .confirmed(let session):
            return (.logind(Array(session.id.utf8)), target, session.openedMicroseconds)
        case .refused(let reason):
            let name = LogText.text(target.logindSession ?? [])
            log.warning(
                "session \(name), named in a login of \(LogText.text(target.user)), does not count: \(reason)")
        case .unknown: claims[program] = target
        case .none: break
        }
        return (.program(program), alone, nil)
    }

    /// Logind is back, or tells of the session that one of them names: what programs said meanwhile can be looked at.
    func settleClaims(naming id: [UInt8]? = nil) async {
        for (program, target) in claims where id == nil || target.logindSession == id {
            let old = SessionKey.program(program)
            let (key, believed, opened) = await believed(target, by: program)
            if id != nil { claims[program] = nil }
            guard key != old, let owned = sessions.removeValue(forKey: old) else { continue }
            claims[program] = nil
            await perform(logoutSchedule.handle(.ended(old), now: loop.now()))
            programSessions[program] = key
            sessions[key] = OwnedSession(
                device: owned.device, target: believed, openedAt: owned.openedAt, openedMicroseconds: opened)
            if let session = await logindSession(of: believed) { await keep(session) }
            await track(key, extensions: 0)
            await tellState(owned.device)
        }
    }

    /// Logind says that a session has ended. Its id may be another session's by now, whose owner is not meant.
    func logindEnded(_ session: LogindSession) async {
        let id = Array(session.id.utf8)
        helpers[id] = nil
        await logind.setHelped(session.id, false)
        guard sessions[.logind(id)]?.openedMicroseconds == session.openedMicroseconds else { return }
        await sessionEnded(.logind(id))
    }
}
