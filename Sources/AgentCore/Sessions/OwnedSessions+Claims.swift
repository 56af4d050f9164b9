import VaultPort

/// Programs' claims about their sessions, and logind's answers to them.
extension OwnedSessions {
    /// Asks logind about claims, because logind is back or has announced the session that a claim names.
    mutating func askForClaims(naming id: [UInt8]? = nil, _ out: inout Output) {
        for program in claims.keys.sorted(by: { $0.number < $1.number }) {
            guard let claim = claims[program], id == nil || claim.target.logindSession == id else { continue }
            if claim.asked == nil { ask(program, &out) } else { claims[program]?.asksAgain = true }
        }
    }

    mutating func ask(_ program: ProgramID, _ out: inout Output) {
        guard let claim = claims[program] else { return }
        let id = pending.open(program)
        claims[program]?.asked = (id, until: out.time + SessionClaiming.limit)
        claims[program]?.asksAgain = false
        out.emit(.lookUp(id, .claim(claim.target, process: claim.process)))
    }

    mutating func claimAnswered(_ program: ProgramID, _ id: OperationID, _ answer: Answer, _ out: inout Output) {
        guard let claim = claims[program], claim.asked?.id == id else { return }
        var said = SessionClaim.unknown
        if case .claim(let claim) = answer { said = claim }
        if case .confirmed = said { return settle(claim, said, &out) }
        // Ask again, because the answer may be older than logind's last report.
        if claim.asksAgain { return ask(program, &out) }
        settle(claim, said, &out)
    }

    mutating func giveUpLateClaims(_ out: inout Output) {
        for program in claims.keys.sorted(by: { $0.number < $1.number }) {
            guard let claim = claims[program], let asked = claim.asked, asked.until <= out.time else { continue }
            _ = pending.close(asked.id)
            settle(claim, .unknown, &out)
        }
    }

    private mutating func settle(_ claim: SessionClaiming, _ said: SessionClaim, _ out: inout Output) {
        claims[claim.program] = nil
        switch (said, claim.stage) {
        case (.confirmed(let session), .opening): begin(claim, confirmed: session, &out)
        case (.confirmed(let session), .held): rekey(claim, session, &out)
        case (.unknown, .opening(let end)):
            begin(claim, confirmed: nil, &out)
            if end == nil { hold(claim, &out) }
        case (.unknown, .held): hold(claim, &out)
        case (.refused(let reason), let stage):
            let name = LogText.text(claim.target.logindSession ?? [])
            out.log(
                .warning,
                "session \(name), named in a login of \(LogText.text(claim.target.user)), is ignored: \(reason)")
            if stage != .held { begin(claim, confirmed: nil, &out) }
        case (.none, .opening): begin(claim, confirmed: nil, &out)
        case (.none, .held): break
        }
    }

    private mutating func hold(_ claim: SessionClaiming, _ out: inout Output) {
        var held = claim
        held.stage = .held
        held.asked = nil
        claims[claim.program] = held
        if claim.asksAgain { ask(claim.program, &out) }
    }

    /// Makes the session the phone's. Its key is logind's id if logind confirms the session, or else its program.
    mutating func begin(_ claim: SessionClaiming, confirmed: LogindSession?, _ out: inout Output) {
        let key = confirmed.map { SessionKey.logind($0.idBytes) } ?? .program(claim.program)
        let alone = SessionTarget(user: claim.target.user, logindSession: nil, terminal: claim.target.terminal)
        let target = confirmed == nil ? alone : claim.target
        let known = logindSession(of: target) ?? confirmed
        let session = OwnedSession(
            device: claim.device, target: target, openedAt: claim.openedAt,
            openedMicroseconds: confirmed?.openedMicroseconds, hasLasted: claim.hasLasted,
            locked: known?.isLocked ?? false)
        own(key, session, &out)
        programs[claim.program] = key
        if let known = logindSession(of: target) { keep(known, &out) }
        track(key, extensions: 0, &out)
        if claim.isRemoved(confirmed) { return end(key, &out) }
        if case .opening(let end?) = claim.stage { programEnded(claim.program, said: end == .closed, &out) }
    }

    /// Changes the key of a session from its program to logind's id.
    private mutating func rekey(_ claim: SessionClaiming, _ confirmed: LogindSession, _ out: inout Output) {
        let old = SessionKey.program(claim.program)
        guard let owned = sessions.removeValue(forKey: old) else { return }
        let key = SessionKey.logind(confirmed.idBytes)
        let known = logindSession(of: claim.target) ?? confirmed
        let session = owned.confirmed(claim.target, at: confirmed.openedMicroseconds, isLocked: known.isLocked)
        own(key, session, &out)
        programs[claim.program] = key
        if let known = logindSession(of: claim.target) { keep(known, &out) }
        // Report the new key before the old one, so that the device always has a session.
        track(key, extensions: 0, &out)
        out.tell(.sessionRekeyed(from: old, to: key))
        if claim.isRemoved(confirmed) { end(key, &out) }
    }
}
