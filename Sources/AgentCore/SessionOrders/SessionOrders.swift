import AuditLog
import Names
import PhoneMessages
import VaultPort

/// The acts on sessions that are in progress, and their waiters: phones, session commands, absence, limits, suspend.
/// The acts of an order run in parallel. The waiter is told after the last answer.
///
///     order ── one act a session ──► in progress ── all answered, or 300 s ──► told
///     command ── who is it? (5 s at most) ──► order
///     stored deadline ── whose? the vault fails: again after 1…30 s ──► order
///     suspend ──► order ── all answered, or 4 s ──► the machine may suspend
package struct SessionOrders: Sendable {
    /// Part of the delay that logind grants before suspend, 5 s by default (logind.conf(5), InhibitDelayMaxSec=).
    package static let sleepLockLimit: Duration = .seconds(4)
    /// A hanging bus or directory delays a command no longer than this. The uid is known without a lookup.
    package static let personLimit: Duration = .seconds(5)

    enum Waiting: Sendable {
        case act(SessionAct, order: UInt64, place: Int)
        case person(SessionCommand, until: Duration)
        case owner(DeviceID)
    }

    var orders: [UInt64: SessionOrder] = [:]
    var lastOrder: UInt64 = 0
    /// The order that the machine waits for before it suspends.
    var sleeping: (order: UInt64, until: Duration)?
    /// Stored deadlines that have passed while the vault did not name their owners.
    var unseen = UnseenLogouts()
    var pending = Pending<Waiting>(.sessionOrders)
    package private(set) var logind = LogindReading.unasked

    package init() {}

    package var count: Int { orders.count }

    // MARK: - Entries

    package mutating func heard(_ event: LogindEvent) { logind.heard(event) }

    /// Starts an operation that a phone requests. The phone gets one answer, after all sessions have answered.
    ///
    /// - Parameter none: The answer if the phone has no known session.
    package mutating func asked(
        _ request: DeviceRequest, _ operation: SessionOperation, _ sessions: [KnownSession], none: ResultCode,
        _ out: inout Output
    ) {
        let own = Self.sessions(sessions, of: request.device.id)
        guard !own.isEmpty else { return out.answer(request.tap, none) }
        begin(
            operation, on: own, for: .phone(request.tap, request.device.id), by: .phone(request.device.id), &out)
    }

    /// Stops answering the revoked phones' requests. Operations in progress continue.
    package mutating func barred(_ devices: [DeviceID]) {
        for (number, order) in orders {
            if case .phone(_, let device) = order.waiter, devices.contains(device) { orders[number]?.waiter = .nobody }
        }
    }

    /// Locks the phones' sessions before the machine suspends. After a time limit, the machine suspends anyway.
    package mutating func sleeping(_ sessions: [KnownSession], _ out: inout Output) {
        let unlocked = sessions.filter { !($0.owned?.session.locked ?? true) }
        guard !unlocked.isEmpty else { return out.emit(.allowSleep) }
        let order = begin(.lock, on: unlocked, for: .sleep, by: .agent, &out)
        sleeping = (order, until: out.time + Self.sleepLockLimit)
    }

    /// Forgets the suspend order: a lock that answers after the wakeup must not end the delay of the next suspend.
    package mutating func woke() {
        sleeping = nil
    }

    package mutating func answered(
        _ id: OperationID, _ answer: Answer, _ sessions: [KnownSession], _ out: inout Output
    ) {
        switch pending.close(id) {
        case .act(let act, let order, let place):
            var outcome = SessionOutcome.failed(reason: "the result is unknown")
            if case .acted(let known) = answer { outcome = known }
            acted(act, outcome, order, place, sessions, &out)
        case .person(let command, _):
            var person: (AuditActor, name: [UInt8]?)?
            if case .person(let actor, let name) = answer { person = (actor, name) }
            known(person, command, sessions, &out)
        case .owner(let device): ownerAnswered(device, answer, &out)
        case nil: break
        }
    }

    package var deadline: Duration? {
        let late = pending.all.compactMap(Self.limit)
        return ([sleeping?.until, unseen.deadline].compactMap { $0 } + late).min()
    }

    package mutating func timeHasCome(_ sessions: [KnownSession], _ out: inout Output) {
        if let sleeping, sleeping.until <= out.time {
            self.sleeping = nil
            out.emit(.allowSleep)
        }
        for device in unseen.due(now: out.time) { readOwner(of: device, &out) }
        giveUpLate(sessions, &out)
    }

    // MARK: - Orders

    /// - Parameter end: The reason for the end of a session, if the actor does not determine it.
    @discardableResult
    mutating func begin(
        _ operation: SessionOperation, on sessions: [KnownSession], for waiter: SessionOrder.Waiter,
        by actor: AuditActor, detail: String? = nil, end: SessionEnd? = nil, _ out: inout Output
    ) -> UInt64 {
        let until = out.time + SessionAct.limit
        let acts = sessions.map { SessionAct(operation, on: $0, by: actor, detail: detail, until: until) }
        return begin(acts, operation, for: waiter, end: end ?? SessionEnd(by: actor), &out)
    }

    @discardableResult
    mutating func begin(
        _ acts: [SessionAct], _ operation: SessionOperation, for waiter: SessionOrder.Waiter, end: SessionEnd,
        _ out: inout Output
    ) -> UInt64 {
        lastOrder += 1
        orders[lastOrder] = SessionOrder(operation, count: acts.count, for: waiter)
        for (place, act) in acts.enumerated() {
            if case .owned(let key, let session, changes: true) = act.subject, operation == .logout {
                out.tell(.sessionEnding(key, session, end))
            }
            let id = pending.open(.act(act, order: lastOrder, place: place))
            out.emit(.act(id, operation, act.subject.target))
        }
        return lastOrder
    }

    /// Records and reports the outcome of one session.
    private mutating func acted(
        _ act: SessionAct, _ outcome: SessionOutcome, _ number: UInt64, _ place: Int, _ sessions: [KnownSession],
        _ out: inout Output
    ) {
        if case .owned(let key, let session, let changes) = act.subject {
            out.tell(.sessionActed(key, session, act.operation, outcome, changes: changes))
            note(outcome, act, session, changes: changes, &out)
        }
        orders[number]?.note(outcome, at: place)
        guard let order = orders[number], let outcomes = order.result else { return }
        orders[number] = nil
        finish(order, number, outcomes, sessions, &out)
    }

    private func note(
        _ outcome: SessionOutcome, _ act: SessionAct, _ session: OwnedSession, changes: Bool, _ out: inout Output
    ) {
        let user = session.target.user
        if let reason = outcome.reason {
            out.logCounted(
                .warning, "\(act.operation.rawValue) of \(LogText.text(user))'s session: \(reason)", user: user,
                paidBy: act.payer(session))
        } else if changes {
            // Locking a locked session changes nothing and gets no entry.
            out.recordCounted(
                .sessionOperation, user: user, device: session.device, by: act.actor, paidBy: act.payer(session),
                detail: act.detail)
        }
    }

    private mutating func giveUpLate(_ sessions: [KnownSession], _ out: inout Output) {
        let now = out.time
        let late = pending.all.filter { Self.limit($0).map { $0 <= now } ?? false }
        pending.drop { Self.limit($0).map { $0 <= now } ?? false }
        for waiting in late {
            switch waiting {
            case .act(let act, let order, let place):
                let seconds = SessionAct.limit.components.seconds
                let outcome = SessionOutcome.failed(reason: "no result within \(seconds) s")
                acted(act, outcome, order, place, sessions, &out)
            case .person(let command, _): known(nil, command, sessions, &out)
            case .owner: break
            }
        }
    }

    private static func limit(_ waiting: Waiting) -> Duration? {
        switch waiting {
        case .act(let act, _, _): act.until
        case .person(_, let until): until
        case .owner: nil
        }
    }

    static func sessions(_ sessions: [KnownSession], of device: DeviceID) -> [KnownSession] {
        sessions.filter { $0.owned?.session.device == device }
    }
}
