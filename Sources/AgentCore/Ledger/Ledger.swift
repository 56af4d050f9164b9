import AuditLog
import PhoneMessages
import TextOutput
import VaultPort

/// The audit entries on their way to the vault, and the limit on writes that phones and people at the box can cause.
///
///     happened ─────────────► written ──► done
///     happened again ─ paid ──┘    └─ failed ──► kept, and tried again
///                    └─ over: counted, and the count is written
package struct Ledger: Sendable {
    /// The most entries kept while the log cannot be written. Further entries are lost, and the loss becomes an entry.
    package static let keptLimit = 256
    /// The pause from the first failure to the next try.
    package static let firstPause: Duration = .seconds(1)
    package static let longestPause: Duration = .seconds(30)

    private var budget = WriteBudget()
    private var writing = Pending<AuditEvent>(.ledger)
    private var kept: [AuditEvent] = []
    private var lost: UInt64 = 0
    private var retryAt: Duration?
    private var pause = Ledger.firstPause

    package init() {}

    package var deadline: Duration? { [budget.deadline, retryAt].compactMap(\.self).min() }

    /// Writes an entry that occurs once, or that an administrator causes.
    package mutating func write(_ event: AuditEvent, _ out: inout Output) {
        // Queue the entry after the waiting ones: the log keeps the order of events.
        guard kept.isEmpty else { return keep(event) }
        out.emit(.vault(writing.open(event), .append(event)))
    }

    /// Writes an entry that its payer can cause repeatedly, if the budget allows.
    package mutating func write(
        _ event: AuditEvent, user: [UInt8]?, paidBy payer: WriteBudget.Payer, _ out: inout Output
    ) {
        if mayWrite(for: payer, user: user, &out) { write(event, &out) }
    }

    /// Returns whether one more durable write may be made. A refused write is counted, and the count is written later.
    package mutating func mayWrite(
        for payer: WriteBudget.Payer, user: [UInt8]?, _ out: inout Output
    ) -> Bool {
        switch budget.spend(payer, user: user, now: out.time) {
        case .allowed: return true
        case .counted: return false
        case .firstOver:
            out.log(
                .warning,
                "\(payer.description) has caused too many events; the log now only counts them")
            write(Self.event(.budgetExceeded, payer, user), &out)
            return false
        }
    }

    package mutating func answered(_ id: OperationID, _ answer: Answer, _ out: inout Output) {
        guard let event = writing.close(id) else { return }
        if case .vault(.done) = answer {
            pause = Self.firstPause
            return
        }
        if case .vault(.failed(let error)) = answer { out.log(.error, "the audit log could not be written: \(error)") }
        keep(event)
        if retryAt == nil {
            retryAt = out.time + pause
            pause = min(pause * 2, Self.longestPause)
        }
    }

    package mutating func timeHasCome(_ out: inout Output) {
        settle(all: false, &out)
        guard let due = retryAt, due <= out.time else { return }
        retryAt = nil
        writeKept(&out)
    }

    /// Writes all counts and all waiting entries.
    package mutating func stop(_ out: inout Output) {
        settle(all: true, &out)
        writeKept(&out)
    }

    private mutating func keep(_ event: AuditEvent) {
        if kept.count < Self.keptLimit { kept.append(event) } else { lost += 1 }
    }

    private mutating func writeKept(_ out: inout Output) {
        let waiting = kept
        kept = []
        for event in waiting { out.emit(.vault(writing.open(event), .append(event))) }
        guard lost > 0 else { return }
        let entries = Plural.text(lost, "entry", "entries")
        lost = 0
        write(
            AuditEvent(
                kind: .eventsCounted, user: nil, device: nil, actor: .agent,
                detail: Array("\(entries) lost while the log could not be written".utf8)), &out)
    }

    private static func event(
        _ kind: AuditEvent.Kind, _ payer: WriteBudget.Payer, _ user: [UInt8]?, _ detail: String = ""
    ) -> AuditEvent {
        AuditEvent(
            kind: kind, user: user, device: payer.device, actor: payer.actor,
            detail: Array(detail.utf8))
    }

    private mutating func settle(all: Bool, _ out: inout Output) {
        for surplus in budget.settle(now: out.time, all: all) {
            let seconds = surplus.over.components.seconds
            let events = Plural.text(surplus.count, "further event")
            let detail = "\(events) of \(surplus.payer.description) within \(seconds) s"
            write(Self.event(.eventsCounted, surplus.payer, surplus.user, detail), &out)
            if let device = surplus.payer.device { out.tell(.budgetSettled(device)) }
        }
    }
}
