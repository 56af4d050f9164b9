import AgentCore
import ControlProtocol
import Names
import PhoneCore
import PhoneMessages
import VaultPort

/// The times by which the box's duties to the owner of a session are judged.
struct Duties {
    /// The time of the phone's lock request, until the order reaches logind.
    var lockAsked: Duration?
    /// The time by which the session must lock, because a phone that the box saw as present has been away long enough.
    var lockBy: Duration?
    /// The time since which the phone has no link.
    var awaySince: Duration?
}

/// Checks that no phone delays another user's lock or deadline beyond a bound.
extension World {
    /// Notes a lock request that the agent has heard. A channel has at most four requests under way.
    mutating func noteLock(_ id: ChannelID, _ link: WorldLink) {
        // A fifth request of a channel is answered `busy`. A request of a revoked phone is not answered.
        guard let device = link.device, link.isAdmitted, !link.isFinished, link.open.count < Judge.openLimit,
            !judge.barred.contains(device)
        else { return }
        for session in logind.ids where machine.owner(ofSession: session) == device {
            logind.sessions[session]?.duties.lockAsked = elapsed
        }
    }

    /// Updates a phone's lock deadline after the agent has heard its message.
    mutating func noteSign(_ id: ChannelID, _ event: ChannelEvent) {
        guard let device = links[id]?.device else { return }
        switch event {
        case .asked(let message), .askedOfSite(let message, _):
            switch message.request {
            case .reportSignal:
                judge.reporting.insert(device)
                setLock(of: device, by: elapsed + lostTime)
            // A tap restarts the silence timer, or stops it until the next report.
            case .login, .loginWithPIN, .unlock, .elevate, .elevateWithPIN: dropLock { $0.owner == device }
            default: break
            }
        // A link that has come back has some time to show that its phone is present.
        case .proved: dropLock { $0.owner == device }
        default: break
        }
    }

    /// Notes which phones have just left and which are back.
    mutating func noteAbsences() {
        // The box forgets the reports of a phone that has left and owns no session. The phone's next session begins
        // with the stored presence.
        judge.reporting = judge.reporting.filter { device in
            isLinked(device) || logind.ids.contains { machine.owner(ofSession: $0) == device }
        }
        for id in logind.ids {
            guard let session = logind.sessions[id], let owner = session.owner else { continue }
            if isLinked(owner) {
                logind.sessions[id]?.duties.awaySince = nil
            } else if session.duties.awaySince == nil {
                logind.sessions[id]?.duties.awaySince = elapsed
                // From now on, the phone is silent because its link is down.
                setLock(of: owner, by: elapsed + lostTime)
            }
        }
    }

    private func isLinked(_ device: DeviceID) -> Bool {
        links.values.contains { $0.device == device && $0.isAdmitted && !$0.isFinished && !$0.isClosed }
    }

    /// - Parameter time: The time by which the phone's sessions must lock if the phone gives no further sign.
    private mutating func setLock(of device: DeviceID, by time: Duration) {
        let listing = machine.presenceListings(ofUser: nil, now: now.sinceBoot).first {
            $0.device == Array("\(device)".utf8)
        }
        // A phone counts from its first report on. Until the vault has been read, the agent assumes an earlier run's
        // state, which locks sooner or never.
        let counts =
            judge.reporting.contains(device) && (listing.map { $0.state != "away" && !$0.next.isEmpty } ?? false)
        for session in logind.sessions.values where session.owner == device {
            let isOpen = counts && logind.isThere && !session.properties.isLocked
            logind.sessions[session.id]?.duties.lockBy = isOpen ? time : nil
        }
    }

    private var lostTime: Duration { .seconds(machine.policy.configuration.presence.lostSeconds) }

    mutating func dropLock(where isConcerned: (ModelLogind.Session) -> Bool) {
        for session in logind.sessions.values where isConcerned(session) {
            logind.sessions[session.id]?.duties.lockBy = nil
        }
    }

    /// Notes that the agent has ordered an operation.
    mutating func settleDuties(_ operation: SessionOperation, _ session: [UInt8]) {
        guard let duties = logind.sessions[session]?.duties else { return }
        switch operation {
        case .lock:
            if duties.lockAsked != nil { judge.sights.note(.locksInTime) }
            if let due = duties.lockBy, due <= elapsed { judge.sights.note(.absencesInTime) }
            logind.sessions[session]?.duties.lockAsked = nil
            logind.sessions[session]?.duties.lockBy = nil
        case .logout: if duties.awaySince != nil { judge.sights.note(.absentLogouts) }
        case .unlock: break
        }
    }

    /// Checks that no lock and no logout is overdue.
    mutating func judgeDelays() {
        let longest = Duration.seconds(machine.policy.configuration.autoLogout.maximumSeconds)
        for session in logind.sessions.values where session.owner != nil {
            if let asked = session.duties.lockAsked, asked + Judge.delayLimit <= elapsed {
                judge.fail("a phone's order to lock has come to nothing in \(elapsed - asked)")
            }
            if let due = session.duties.lockBy, due + Judge.delayLimit <= elapsed {
                judge.fail("a session is open \(elapsed - due) after its phone counts as away")
            }
            if let since = session.duties.awaySince, !session.wasToldToEnd, !absenceIsNothing(session.owner),
                since + longest + Judge.delayLimit <= elapsed
            {
                judge.fail("a session lasts \(elapsed - since) without its phone")
            }
        }
    }

    /// Returns true for a web phone whose user has not set an automatic logout.
    func absenceIsNothing(_ device: DeviceID?) -> Bool {
        guard let sheet = device.flatMap({ vault.sheet($0) }), sheet.record.isWeb else { return false }
        return sheet.autoLogout ?? 0 == 0
    }

    // MARK: - A person among others

    /// Logs a user in and lets her phone watch, while others flood and neither vault nor logind answers. The agent must
    /// still order the lock that she requests and, after she has left, the lock and the logout for her absence.
    mutating func nobodyIsHeldUp(_ user: String) {
        guard violation == nil, let (phone, session) = logsInAndWatches(user) else { return }
        codeIsShown()
        orderHangs()
        setLocked(session, false)
        judge.lockOrders[session] = nil
        happen(.phone(phone, .tap(.act(.lock))))
        drain()
        let tapped = elapsed
        for _ in 0..<400 where violation == nil && judge.lockOrders[session] == nil {
            othersFlood()
            if !move(phone) { pass(.milliseconds(25)) }
        }
        guard let ordered = judge.lockOrders[session], ordered - tapped <= Judge.delayLimit else {
            return judge.fail("\(user)'s lock waits for others")
        }
        cut(phone)
        giveUp(phone)
        let gone = elapsed
        while violation == nil, elapsed < gone + lostTime + Judge.delayLimit {
            othersFlood()
            pass(.milliseconds(500))
        }
        if judge.lockOrders[session] ?? .zero <= gone { judge.fail("\(user)'s absence locks nothing among others") }
        let away = Duration.seconds(machine.policy.configuration.autoLogout.defaultSeconds)
        while violation == nil, elapsed < gone + away + Judge.delayLimit {
            othersFlood()
            settle()
            pass(min(.seconds(20), gone + away + Judge.delayLimit - elapsed))
        }
        if !(logind.sessions[session]?.wasToldToEnd ?? true) {
            judge.fail("\(user)'s absence ends nothing among others")
        }
    }

    private mutating func logsInAndWatches(_ user: String) -> (phone: Int, session: [UInt8])? {
        guard let (phone, program) = logsIn(user), let row = phones[phone].vault.row?.box,
            let device = phones[phone].device
        else { return nil }
        giveUp(phone)
        let session = open(program, of: device)
        settle()
        guard machine.owner(ofSession: session) == device else {
            judge.fail("\(user)'s session is nobody's")
            return nil
        }
        presenceBegins()
        run(.watch(BoxTarget(row)), .watch, phone)
        for _ in 0..<2_000 where violation == nil && logind.sessions[session]?.duties.lockBy == nil {
            if work.count > 0 { settle() }
            if !move(phone) { pass(.milliseconds(250)) }
        }
        if logind.sessions[session]?.duties.lockBy == nil { judge.fail("\(user)'s phone is not watched") }
        return (phone, session)
    }

    private mutating func presenceBegins() {
        var configuration = machine.policy.configuration
        guard !configuration.presence.enabled else { return }
        configuration.presence.enabled = true
        feed(.policy(configuration))
    }

    /// Opens an enrolment, whose code the intruders can see.
    private mutating func codeIsShown() {
        let id = ControlID(number: number())
        let caller = Caller(uid: 0, pid: 77, daemonUID: 900)
        commands[id] = WorldCommand(caller: caller, use: .enrolling)
        let request = ControlRequest.enrol(EnrolmentWish(user: Array("alice".utf8)))
        feed(.control(id, .asks(request, caller)))
        settle()
    }

    /// Has another person order an unlock that logind never answers.
    private mutating func orderHangs() {
        let id = ControlID(number: number())
        let caller = Caller(uid: 0, pid: 77, daemonUID: 900)
        commands[id] = WorldCommand(caller: caller, use: .waiting)
        feed(.control(id, .asks(.session(.unlock, .all), caller)))
        // Answers the lookup of the person who gave the order, so that the unlock begins.
        while case .lookUp? = work.others.first { answer(work.others.removeFirst()) }
    }

    private mutating func othersFlood() {
        for _ in 0..<4 where violation == nil { intruderStep() }
    }
}
