import ControlProtocol
import Names
import PhoneMessages
import VaultPort

/// Routes events to components.
extension AgentMachine {
    mutating func route(_ event: Event, _ out: inout Output) {
        if declines(event, &out) { return }
        switch event {
        case .phone(let id, let event): route(event, from: id, &out)
        case .program(let id, let event): route(event, from: id, &out)
        case .control(let id, let event): route(event, from: id, &out)
        case .answered(let id, let answer): route(answer, to: id, &out)
        case .logind(let event): route(event, &out)
        case .site(let id, let event): site.heard(id, event, &out)
        case .numbered(let accepted, let others): numbered(accepted, others, &out)
        case .radio(let condition): advertising.heard(condition, &out)
        case .timeHasCome: break
        case .started:
            presences.started(&out)
            logouts.started(&out)
            restoring.started(&out)
            site.started(&out)
            sitePhones.started(&out)
        case .policy:
            phones.policyChanged(&out)
            logins.policyChanged(&out)
            enrolments.policyChanged(&out)
            presences.policyChanged(&out)
            logouts.policyChanged(&out)
        case .stop: stop(&out)
        }
    }

    private mutating func stop(_ out: inout Output) {
        deliveries.stop(&out)
        hearWhatEnded(&out)
        logins.stop(&out)
        elevations.stop(&out)
        enrolments.stop(&out)
        for id in phones.ids { out.emit(.finish(id, .agentStops)) }
        site.stop(&out)
        ledger.stop(&out)
    }

    private mutating func route(_ event: ChannelEvent, from id: ChannelID, _ out: inout Output) {
        switch event {
        case .arrived(let connection): phones.arrived(id, over: connection, &out)
        case .wantsDocument(let shown): site.documentWanted(id, shown: shown, &out)
        case .triesCode(let codeID): enrolments.tried(id, over: phones.connection(of: id), codeID, &out)
        case .codeFitted: enrolments.fitted(over: phones.connection(of: id))
        case .unknownKey: phones.strangerCame(id, isWelcome: site.judge(now: out.time)?.knowsTime ?? false, &out)
        case .provedStranger(let key): phones.visited(id, Visitor(key: key, sheet: nil), &out)
        case .proved(let sheet) where sheet.record.isOfSite:
            phones.visited(id, Visitor(key: sheet.record.publicKey, sheet: sheet), &out)
        case .proved(let sheet): phones.proved(id, sheet, &out)
        case .provedCode(let publicKey, let handshakeHash, let nonce, let isEnrolled):
            // Ignore a link that was displaced meanwhile: its end was told before, so its proof would stay forever.
            guard phones.provedCode(id, &out) else { return }
            enrolments.proved(
                id, publicKey: publicKey, handshakeHash: handshakeHash, nonce: nonce, isEnrolled: isEnrolled)
        case .asked(let message): phones.asked(id, message, &out)
        case .askedOfSite(let message, let hash): phones.asked(id, message, channelHash: hash, &out)
        case .left(let reason, let peer): phones.left(id, reason, peer: peer, &out)
        }
    }

    private mutating func route(_ event: ProgramEvent, from id: ProgramID, _ out: inout Output) {
        switch event {
        case .asks(let request, let caller): logins.asks(id, request, caller, &out)
        case .says(.credentialsRefreshed) where !mayUnlock(id): deliveries.unlocksNothing(id, &out)
        case .says(let event): deliveries.says(id, event, &out)
        case .changedPassword(let user, let caller):
            // Accept only callers who could change the password themselves. A false report only costs one login.
            guard caller.isAdministrator, UserName.isAllowed(user) else { return }
            logins.withdraw(ofUser: user, &out)
            elevations.withdraw(ofUser: user, &out)
            credentials.passwordChanged(of: user, by: id, &out)
        case .typedPassword(let user, let session, let caller):
            if caller.isAdministrator { selfEnrolments.passwordTyped(user, in: session, out.time) }
        case .left: programLeft(id, &out)
        }
    }

    /// Returns whether the program's user may have a session at a seat. Without logind it may. A trial serves programs
    /// anywhere.
    private func mayUnlock(_ id: ProgramID) -> Bool {
        guard policy.configuration.login.serve == .seat, sessions.reading == .read else { return true }
        let user = deliveries.user(of: id)
        return sessions.logind.values.contains {
            $0.isOfPerson && !$0.isClosing && !$0.seat.isEmpty && Array($0.user.utf8) == user
        }
    }

    mutating func programLeft(_ id: ProgramID, _ out: inout Output) {
        logins.left(id, &out)
        elevations.left(id, &out)
        deliveries.left(id, &out)
        hearWhatEnded(&out)
        sessions.programLeft(id, &out)
    }

    /// Delivers the end of a program's session before the end of the program, so that the session's claim is settled.
    private mutating func hearWhatEnded(_ out: inout Output) {
        while let fact = out.nextFact() { hear(fact, &out) }
    }

    private mutating func route(_ event: ControlEvent, from id: ControlID, _ out: inout Output) {
        switch event {
        case .asks(let request, let caller): route(request, from: id, caller, &out)
        case .revokes(let devices, let all, let name, let caller):
            guard let active = controls.revocable(devices, all: all, named: name, id, &out) else { return }
            let silenced = phones.bar(active.map(\.id), &out)
            controls.revoke(active, silenced: silenced, id, caller, &out)
        case .wipes(let devices, let selection, let caller): controls.wipe(devices, selection, id, caller, &out)
        case .joins(let code): site.joins(id, code, &out)
        case .left:
            controls.left(id)
            selfEnrolments.left(id)
            site.controlLeft(id, &out)
            enrolments.controlLeft(id, &out)
            helpers.left(id, &out)
            programLeft(Self.program(of: id), &out)
        }
    }

    /// The program number of `boxagent test-login`. The shell numbers programs and commands in one sequence.
    private static func program(of id: ControlID) -> ProgramID { ProgramID(number: id.number) }

    private mutating func route(
        _ request: ControlRequest, from id: ControlID, _ caller: Caller, _ out: inout Output
    ) {
        switch request {
        case .greet(let terminal): controls.greets(id, on: terminal, caller, &out)
        case .claimTap(let user): claimTap(of: user, by: id, &out)
        case .enrol(let wish):
            guard controls.beginsEnrolment(id, &out) else { return }
            warnOfLoss(id, &out)
            enrolments.ordered(id, wish, caller, &out)
        case .enrolSelf(let replacing):
            guard !controls.isEnrolling(id), !site.isEnrollingSelf(id) else {
                return out.emit(.tellControl(id, Refusals.oneAtATime))
            }
            warnOfLoss(id, &out)
            selfEnrolments.asked(id, caller, replacing: replacing, &out)
        case .confirmEnrolment(let digits, let accept) where site.isEnrollingSelf(id):
            site.answersSelf(digits, accept: accept, &out)
        case .confirmEnrolment(let digits, let accept):
            guard controls.isEnrolling(id) else { return out.emit(.tellControl(id, Refusals.noEnrolment)) }
            enrolments.administratorAnswers(digits: digits, accept: accept, &out)
        case .testLogin(let user, let seconds):
            guard !logins.isWaiting(Self.program(of: id)) else {
                return out.emit(.tellControl(id, Refusals.oneAtATime))
            }
            logins.tests(Self.program(of: id), user: user, seconds: seconds, &out)
        case .sessionHelper(let session): helpers.came(id, in: session, sessions.logindSession(session), caller, &out)
        case .lockRefused(let reason): helpers.refused(id, reason, &out)
        case .session(let action, let selection): orders.ordered(id, action, selection, caller, &out)
        case .sessions: orders.list(for: id, caller, known, &out)
        case .leaveSite: leaveSite(id, &out)
        case .importSite(let part, let isLast): site.imports(id, part, isLast: isLast, &out)
        case .joinSite, .site, .status, .identity, .revoke, .revokeUser, .revokeWeb, .devices, .samePerson, .account,
            .audit,
            .verifyAudit, .auditSegments, .pruneAudit, .wipe, .doctor, .explainPresence:
            out.emit(.tellControl(id, Refusals.oneAtATime))
        }
    }

    private mutating func claimTap(of user: [UInt8], by id: ControlID, _ out: inout Output) {
        guard let terminal = controls.terminal(of: id) else {
            return out.emit(.tellControl(id, Refusals.notGreeter))
        }
        let isClaimed = logins.claim(user, &out)
        if isClaimed { out.log(.notice, "greeter on \(LogText.text(terminal)) logs in \(LogText.text(user))") }
        out.emit(.tellControl(id, .tapClaimed(isClaimed)))
    }

    private mutating func route(_ answer: Answer, to id: OperationID, _ out: inout Output) {
        switch id.room {
        case .ledger: ledger.answered(id, answer, &out)
        case .phones: phones.answered(id, answer, &out)
        case .enrolments: enrolments.answered(id, answer, &out)
        case .credentials: credentials.answered(id, answer, &out)
        case .logins: logins.answered(id, answer, &out)
        case .elevations: elevations.answered(id, answer, locked: lockedByAgent, &out)
        case .deliveries: deliveries.answered(id, answer, &out)
        case .sessions: sessions.answered(id, answer, &out)
        case .sessionOrders: orders.answered(id, answer, known, &out)
        case .restoring: restoring.answered(id, answer, &out)
        case .presences: presences.answered(id, answer, &out)
        case .logouts: logouts.answered(id, answer, &out)
        case .controls: controls.answered(id, answer, &out)
        case .site: site.answered(id, answer, &out)
        case .sitePhones: sitePhones.answered(id, answer, site.judge(now: out.time), &out)
        case .selfEnrolments:
            selfEnrolments.answered(
                id, answer, isOfPhone: { [sessions, restoring] in !restoring.knowsOwners || sessions.isOfPhone($0) },
                locked: lockedByAgent, &out)
        }
    }

    /// The logind sessions that the agent itself has locked.
    private var lockedByAgent: Set<[UInt8]> {
        Set(known.compactMap { $0.owned?.session.locked ?? false ? $0.target.logindSession : nil })
    }

    private mutating func route(_ event: LogindEvent, _ out: inout Output) {
        sessions.heard(event, &out)
        orders.heard(event)
        selfEnrolments.heard(event, &out)
        switch event {
        case .available: restoring.logindCame(&out)
        case .removed(let session): helpers.sessionRemoved(session, &out)
        case .sleeping: orders.sleeping(known, &out)
        case .woke:
            orders.woke()
            logouts.woke(&out)
        case .unread, .unavailable, .appeared, .changed, .shuttingDown: break
        }
    }
}
