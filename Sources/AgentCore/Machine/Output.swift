import AuditLog
import Names
import PhoneMessages
import VaultPort

/// The results of one event: effects for the shell, and facts for other components.
package struct Output: Sendable {
    package let now: Moment
    package let policy: Policy
    private var effects: [Effect] = []
    private var facts: [Fact] = []

    package init(now: Moment, policy: Policy) {
        self.now = now
        self.policy = policy
    }

    /// The time since boot.
    package var time: Duration { now.sinceBoot }

    package mutating func emit(_ effect: Effect) {
        effects.append(effect)
    }

    package mutating func emit(_ new: [Effect]) {
        effects += new
    }

    // Reports of facts that another component may need. The routing decides which one.
    package mutating func tell(_ fact: PhoneFact) { facts.append(.phone(fact)) }
    package mutating func tell(_ fact: SiteFact) { facts.append(.site(fact)) }
    package mutating func tell(_ fact: LoginFact) { facts.append(.login(fact)) }
    package mutating func tell(_ fact: SessionFact) { facts.append(.session(fact)) }
    package mutating func tell(_ fact: PresenceFact) { facts.append(.presence(fact)) }
    package mutating func tell(_ fact: LedgerFact) { facts.append(.ledger(fact)) }

    package mutating func nextFact() -> Fact? {
        facts.isEmpty ? nil : facts.removeFirst()
    }

    package mutating func log(_ level: LogLine.Level, _ text: String, _ field: LogField? = nil) {
        emit(.log(LogLine(level, text, field)))
    }

    /// Logs a line that a user or phone can cause repeatedly, and pays for.
    package mutating func logCounted(
        _ level: LogLine.Level, _ text: String, _ field: LogField? = nil, user: [UInt8]? = nil,
        paidBy payer: WriteBudget.Payer
    ) {
        tell(.logged(LogLine(level, text, field), user: user, paidBy: payer))
    }

    package mutating func answer(_ tap: TapID, _ code: ResultCode, _ detail: ResultDetail = ResultDetail()) {
        emit(.tellPhone(tap.channel, .result(tap.request, code, detail)))
    }

    /// Records an audit entry that occurs once, or that an administrator causes.
    package mutating func record(
        _ kind: AuditEvent.Kind, user: [UInt8]? = nil, device: DeviceID? = nil, by actor: AuditActor,
        detail: String = ""
    ) {
        tell(.happened(AuditEvent(kind: kind, user: user, device: device, actor: actor, detail: Array(detail.utf8))))
    }

    /// Records an audit entry that a user or phone can cause repeatedly, and pays for.
    package mutating func recordCounted(
        _ kind: AuditEvent.Kind, user: [UInt8], device: DeviceID, by actor: AuditActor,
        paidBy payer: WriteBudget.Payer? = nil, detail: String = ""
    ) {
        let event = AuditEvent(kind: kind, user: user, device: device, actor: actor, detail: Array(detail.utf8))
        tell(.happenedAgain(event, user: user, paidBy: payer ?? .device(device)))
    }

    /// Returns the effects in the order in which they must happen.
    package consuming func inOrder() -> [Effect] {
        effects.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element)
    }
}
