import AuditLog
import Testing
import VaultPort

@testable import AgentCore

@Suite("The audit log on its way to the vault")
struct LedgerTests {
    private var bench = Bench()
    private var ledger = Ledger()
    private static let user = Array("alice".utf8)

    private static func event(_ text: String = "") -> AuditEvent {
        AuditEvent(kind: .loginCorrect, user: user, device: testDevice(1), actor: .agent, detail: Array(text.utf8))
    }

    @Test("Entries that could not be written are kept, in their order, and written when the vault is back")
    mutating func kept() {
        let first = bench.run { ledger.write(Self.event("1"), &$0) }
        _ = bench.run { ledger.answered(first.operations[0], .vault(.failed(.diskFull)), &$0) }
        // A later entry is queued after the first.
        #expect(bench.run { ledger.write(Self.event("2"), &$0) }.commands.isEmpty)
        #expect(ledger.deadline == bench.now.sinceBoot + Ledger.firstPause)
        bench.pass(Ledger.firstPause)
        let again = bench.run { ledger.timeHasCome(&$0) }
        let details = again.commands.compactMap { command -> [UInt8]? in
            if case .append(let event) = command { event.detail } else { nil }
        }
        #expect(details == [Array("1".utf8), Array("2".utf8)])
    }

    @Test("More than is kept is lost, and the loss is an entry")
    mutating func lost() {
        let first = bench.run { ledger.write(Self.event(), &$0) }
        _ = bench.run { ledger.answered(first.operations[0], .vault(.failed(.diskFull)), &$0) }
        for _ in 0..<(Ledger.keptLimit + 2) { _ = bench.run { ledger.write(Self.event(), &$0) } }
        bench.pass(Ledger.firstPause)
        let again = bench.run { ledger.timeHasCome(&$0) }
        #expect(again.commands.count == Ledger.keptLimit + 1)
        guard case .append(let told)? = again.commands.last else {
            Issue.record("no entry of the loss")
            return
        }
        #expect(String(decoding: told.detail, as: UTF8.self) == "3 entries lost while the log could not be written")
    }

    @Test("A device that causes more than its budget is told of once, and what it waits for is written with the count")
    mutating func budget() {
        var written = 0
        for _ in 0..<200 {
            let said = bench.run { ledger.write(Self.event(), user: Self.user, paidBy: .device(testDevice(1)), &$0) }
            written += said.commands.count
        }
        // The device's own tokens, the shared tokens of its user, and the one entry that reports the overrun.
        #expect(written == WriteBudget.own.burst + WriteBudget.shared.burst + 1)
        bench.pass(WriteBudget.countingTime)
        let settled = bench.run { ledger.timeHasCome(&$0) }
        #expect(settled.commands.count == 1)
        guard case .ledger(.budgetSettled(let device))? = settled.facts.first else {
            Issue.record("not settled")
            return
        }
        #expect(device == testDevice(1))
    }

    @Test(
        "The audit log names who caused too much: a program is not a person, and a command has no user",
        arguments: [
            (WriteBudget.Payer.device(testDevice(1)), user, AuditActor.phone(testDevice(1))),
            (.person(user), user, AuditActor(kind: .person, name: user)),
            (.program(service: Array("su".utf8)), nil, AuditActor(kind: .program, name: Array("su".utf8))),
            (.anybody(command: "enrol --self"), nil, AuditActor(kind: .person)),
        ] as [(WriteBudget.Payer, [UInt8]?, AuditActor)])
    func overspent(payer: WriteBudget.Payer, owner: [UInt8]?, actor: AuditActor) {
        var (bench, ledger) = (Bench(), Ledger())
        var written: [AuditEvent] = []
        for _ in 0...(WriteBudget.own.burst + WriteBudget.shared.burst) {
            let said = bench.run { if ledger.mayWrite(for: payer, user: owner, &$0) { return } }
            for case .append(let event) in said.commands { written.append(event) }
        }
        #expect(written.map(\.kind) == [.budgetExceeded])
        #expect(written.map(\.actor) == [actor])
        #expect(written.map(\.user) == [owner])
    }
}
