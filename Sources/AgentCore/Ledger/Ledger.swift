import AuditLog
import PhoneMessages
import TextOutput
import VaultPort

/// Entries of the audit log on their way to the vault, and what phones and people at the box may have written to the disk: all
/// of it passes here.
///
///     happened ─────────────► written ──► done
///     happened again ─ paid ──┘    └─ failed ──► kept, and tried again
///                    └─ over: counted, and the count is written
package struct Ledger: Sendable {
    /// Entries that are kept while the log cannot be written; what is more is lost, and that is an entry.
    package static let keptLimit = 256
    /// From a failure to the next try.
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

    /// An entry that happens once, or that an administrator causes.
    package mutating func write(_ event: AuditEvent, _ out: inout Output) {
        // Behind what waits: the log says things in the order in which they happened.
        guard kept.isEmpty else { return keep(event) }
        out.emit(.vault(writing.open(event), .append(event)))
    }

    /// An entry that somebody can cause again and again.
    package mutating func write(
        _ event: AuditEvent, user: [UInt8]?, paidBy payer: WriteBudget.Payer, _ out: inout Output
    ) {
        if mayWrite(for: payer, user: user, &out) { write(event, &out) }
    }

    /// Whether one more durable write may be made; what may not is counted, and the count is written down.
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

    /// Writes down what was counted, and what waits for it.
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
