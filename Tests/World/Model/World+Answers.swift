import AgentCore
import AuditLog
import PhoneMessages
import VaultPort

/// The outcomes of the shell's operations.
extension World {
    mutating func ordered(_ id: OperationID, _ operation: SessionOperation, _ target: SessionTarget) {
        work.others.append(.act(id, operation, target))
        if judge.isFallingAsleep, operation == .lock { judge.sleepActs.insert(id) }
        if operation == .logout { judge.sights.note(.logoutsOrdered) }
        guard let session = target.logindSession else { return }
        settleDuties(operation, session)
        if operation == .logout { logind.sessions[session]?.wasToldToEnd = true }
        if operation == .lock { judge.lockOrders[session] = elapsed }
    }

    /// Ends one operation. The vault's operations end in order, and all others in any order.
    mutating func answerStep() {
        if !work.vault.isEmpty, work.others.isEmpty || chance(60) { return answerVault() }
        guard !work.others.isEmpty else { return }
        let index = Int.random(in: 0..<work.others.count, using: &random)
        answer(work.others.remove(at: index))
    }

    mutating func answerVault() {
        guard !work.vault.isEmpty else { return }
        let (id, command) = work.vault.removeFirst()
        let answer = vault.answer(command)
        if case .failed = answer { judge.sights.note(.failures) }
        if case .opened(.wiped, _) = answer { judge.sights.note(.wipes) }
        if case .openCredential(let device, _, _) = command, case .opened(.opened(let secret), _) = answer {
            judge.came(secret, from: device, vault.devices[device]?.record.user ?? [], on: nil)
        }
        for device in vault.devices.values where device.wrongInARow > 0 && device.wrongInARow >= device.highestLimit {
            judge.fail("\(device.wrongInARow) wrong PINs in a row, and \(device.highestLimit) destroy the secret")
        }
        feed(.answered(id, .vault(answer)))
    }

    mutating func answer(_ other: RunningOperations.Other) {
        switch other {
        case .act(let id, let operation, let target): act(id, operation, target)
        case .lookUp(let id, let lookup): feed(.answered(id, answer(lookup)))
        case .handOver(let id, let program):
            let taken: CredentialTaking
            if programs[program] != nil {
                taken = judge.isQuiet || chance(95) ? .taken : .notTaken
            } else {
                taken = commands[ControlID(number: program.number)] != nil ? .tested : .notTaken
            }
            if taken == .notTaken { programs[program] = nil }
            feed(.answered(id, .handedOver(taken)))
        }
    }

    private mutating func act(_ id: OperationID, _ operation: SessionOperation, _ target: SessionTarget) {
        judge.sleepActs.remove(id)
        let session = target.logindSession ?? []
        guard logind.isThere, logind.sessions[session] != nil, judge.isQuiet || chance(85) else {
            return feed(.answered(id, .acted(chance(50) ? .cannot(reason: "no locker") : .failed(reason: "it hung"))))
        }
        switch operation {
        case .lock: setLocked(session, true)
        case .unlock: setLocked(session, false)
        case .logout: end(session)
        }
        feed(.answered(id, .acted(.done)))
    }

    private mutating func answer(_ lookup: Lookup) -> Answer {
        switch lookup {
        case .seat(_, let caller):
            let isAtSeat = programs.values.first { $0.process == caller.pid }?.isAtSeat ?? false
            let facts = SeatFacts(
                process: SeatFacts.Process(terminal: .virtual(isAtSeat ? 1 : 2), parent: 1), foreground: 1)
            return .seat(session: nil, facts)
        case .seats(let askers): return .seats(programs.facts(of: askers.keys))
        case .elevationPlace(let process):
            guard let program = programs.first(where: { $0.value.process == process }), program.value.isAtSeat,
                let session = logind.ids.compactMap({ logind.sessions[$0] }).first
            else { return .elevationPlace(nil) }
            judge.elevations.insert(program.key)
            return .elevationPlace((session: session.properties, isInBackground: false))
        case .claim(let target, let process): return .claim(claim(target, process))
        case .person: return .person(.person(uid: 0, login: Array("root".utf8)), name: Array("root".utf8))
        case .account: return .account(.found(uid: 1_000), .person(uid: 0, login: nil))
        case .newCode(let user): return newCode(user)
        case .idleness(let ids):
            for id in ids {
                guard let session = logind.sessions[Array(id.utf8)], logind.isThere else { continue }
                var changed = session.properties
                changed.idleSince = chance(50) ? now.sinceBoot - now.asleep - .seconds(60) : nil
                logind.sessions[session.id]?.properties = changed
                tell(.changed(changed))
            }
            return .idlenessRead
        }
    }

    private mutating func claim(_ target: SessionTarget, _ process: Int32?) -> SessionClaim {
        guard let id = target.logindSession else { return .none }
        guard logind.isThere else { return .unknown }
        guard let session = logind.sessions[id] else { return .refused("logind does not know it") }
        let owner = programs.values.first { $0.process == process }
        guard session.leader == process, owner != nil else { return .refused("another program's") }
        return .confirmed(session.properties)
    }

    // MARK: - Ownership, as the judge sees it

    /// Reads the owners of sessions from the machine's own listing, which holds what logind confirmed.
    mutating func noteOwners() {
        for id in logind.ids {
            let owner = machine.owner(ofSession: id)
            if owner != logind.sessions[id]?.owner {
                logind.sessions[id]?.owner = owner
                logind.sessions[id]?.claimedAt = judge.step
                logind.sessions[id]?.duties = Duties()
                if owner != nil { judge.sights.note(.sessionsOwned) }
            }
        }
    }
}
