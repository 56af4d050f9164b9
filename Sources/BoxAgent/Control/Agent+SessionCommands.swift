import AgentCore
import AgentProtocol
import AuditLog
import Sessions
import Vault

/// A session as the session commands see it: one that a phone opened, one that logind knows, or both.
private struct KnownSession: Sendable {
    let target: SessionTarget
    let owned: (key: SessionKey, session: OwnedSession)?
    let logind: LogindSession?
    let canLock: Bool

    func isOf(_ caller: Caller, named name: [UInt8]?) -> Bool {
        if let logind { return logind.userID == caller.uid }
        return target.user == name
    }

    var listing: SessionListing {
        let place = [logind?.seat, logind?.terminal].compactMap { $0 }.filter { !$0.isEmpty }.joined(separator: " ")
        let isLocked = logind?.isLocked ?? owned?.session.locked ?? false
        return SessionListing(
            id: target.logindSession ?? [], user: target.user,
            place: place.isEmpty ? target.terminal ?? [] : Array(place.utf8), type: Array((logind?.type ?? "").utf8),
            state: logind?.isClosing ?? false ? .closing : isLocked ? .locked : .active, canLock: canLock,
            device: owned.map { Array("\($0.session.device)".utf8) })
    }
}

/// `boxagent sessions`, `lock`, `unlock` and `logout`: root for all sessions, anybody for their own
/// (docs/decisions/016-programs-at-a-seat.md).
extension Agent {
    func sessionListings(for caller: Caller) async -> [ControlReply] {
        await visibleSessions(to: caller).map { .session($0.listing) } + [.done(text: [])]
    }

    func perform(
        _ action: SessionAction, _ selection: SessionSelection, for caller: Caller
    ) async -> [ControlReply] {
        let operation: SessionOperation =
            switch action {
            case .lock: .lock
            case .unlock: .unlock
            case .logout: .logout
            }
        let name = await accounts.name(of: caller.uid)
        let chosen = await knownSessions().filter { session in
            switch selection {
            case .own: session.isOf(caller, named: name)
            case .session(let id): session.target.logindSession == id
            case .user(let user): session.target.user == user
            case .all: true
            }
        }
        guard caller.isAdministrator || chosen.allSatisfy({ $0.isOf(caller, named: name) }) else {
            return [Refusals.othersSession]
        }
        guard !chosen.isEmpty else { return [Refusals.noSession] }
        let actor = await actor(of: caller)
        let running = chosen.map { session in loop.spawn { await self.perform(operation, on: session, by: actor) } }
        var replies: [ControlReply] = []
        var failed = 0
        for task in running {
            let listing = await task.value
            if listing.outcome != .done { failed += 1 }
            replies.append(.session(listing))
        }
        guard failed == 0 else { return replies + [Refusals.operationFailed(operation, failed, of: chosen.count)] }
        return replies + [.done(text: [])]
    }

    private func perform(
        _ operation: SessionOperation, on known: KnownSession, by actor: AuditActor
    ) async -> SessionListing {
        let outcome: SessionOutcome
        if let owned = known.owned {
            outcome = await perform(operation, on: owned.session, owned.key, by: actor)
        } else {
            outcome = await controller.perform(operation, on: known.target)
        }
        var listing = known.listing
        switch outcome {
        case .done:
            listing.outcome = .done
            listing.state = operation == .lock ? .locked : operation == .unlock ? .active : .closing
        case .cannot(let reason): (listing.outcome, listing.reason) = (.cannot, Array(reason.utf8))
        case .failed(let reason): (listing.outcome, listing.reason) = (.failed, Array(reason.utf8))
        }
        listing.reason = Array(listing.reason.prefix(AgentLimits.textBytes))
        return listing
    }

    private func visibleSessions(to caller: Caller) async -> [KnownSession] {
        let all = await knownSessions()
        if caller.isAdministrator { return all }
        let name = await accounts.name(of: caller.uid)
        return all.filter { $0.isOf(caller, named: name) }
    }

    /// Ordered by their ids.
    private func knownSessions() async -> [KnownSession] {
        var known: [KnownSession] = []
        var ids: Set<[UInt8]> = []
        for (key, session) in sessions {
            let found = await logindSession(of: session.target)
            if let id = session.target.logindSession { ids.insert(id) }
            known.append(
                KnownSession(
                    target: session.target, owned: (key, session), logind: found, canLock: await canLock(found)))
        }
        for session in await logind.sessions where session.isOfPerson && !ids.contains(Array(session.id.utf8)) {
            let target = SessionTarget(
                user: Array(session.user.utf8), logindSession: Array(session.id.utf8),
                terminal: Array(session.terminal.utf8))
            known.append(
                KnownSession(target: target, owned: nil, logind: session, canLock: await canLock(session)))
        }
        return known.sorted { ($0.target.logindSession ?? []).lexicographicallyPrecedes($1.target.logindSession ?? []) }
    }

    /// The ids of sessions that phones opened and that cannot be locked.
    func sessionsWithoutLocker() async -> [String] {
        await knownSessions().filter { $0.owned != nil && !$0.canLock }
            .map { LogText.text($0.target.logindSession ?? []) }
    }

    private func canLock(_ session: LogindSession?) async -> Bool {
        if !configuration.sessions.lockCommand.isEmpty { return true }
        guard let session else { return false }
        return await logind.canLock(session)
    }
}
