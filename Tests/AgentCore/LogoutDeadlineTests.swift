import AgentConfiguration
import PhoneMessages
import Testing
import VaultPort

@testable import AgentCore

@Suite("Deadlines that outlive the agent")
struct LogoutDeadlineTests {
    private let failed = Answer.vault(.failed(.diskFull))
    private let stored = Answer.vault(.done)

    /// Phone 1 is away, and has a session and a stored deadline of 920 s.
    private func away() -> LogoutsBench {
        var bench = LogoutsBench()
        _ = bench.open("c1", at: 10)
        let written = bench.leave(at: 20)
        _ = bench.answer(written.operation(), stored)
        return bench
    }

    @Test("A deadline that could not be stored holds in memory and is written again, after longer and longer pauses")
    func retries() {
        var bench = LogoutsBench()
        _ = bench.open("c1", at: 10)
        var written = bench.leave(at: 20)
        #expect(
            bench.answer(written.operation(), failed).lines == [
                "log error: a deadline could not be stored: \(VaultError.diskFull)"
            ])
        #expect(bench.room.unwritten == [testDevice(1)])
        var time = 20
        for pause in [1, 2, 4, 8, 16, 30, 30] {
            #expect(bench.room.deadline == .seconds(time + pause))
            #expect(bench.timeHasCome(at: time + pause - 1) == [])
            time += pause
            written = bench.timeHasCome(at: time)
            #expect(written == ["write 1: deadline 920"])
            // The failure has no log line, because a line for each failure would fill the journal.
            #expect(bench.answer(written.operation(), failed) == [])
        }
        written = bench.timeHasCome(at: time + 30)
        #expect(bench.answer(written.operation(), stored) == [])
        #expect(bench.room.unwritten == [])
    }

    @Test("An answer of another kind counts as a failure; one that nobody waits for is nothing")
    func otherAnswers() {
        var bench = LogoutsBench()
        _ = bench.open("c1", at: 10)
        let written = bench.leave(at: 20)
        #expect(bench.answer(.unknownLogouts, stored) == [])
        #expect(bench.answer(OperationID(room: .presences, number: written.operation().number), stored) == [])
        #expect(
            bench.answer(written.operation(), .idlenessRead).lines == [
                "log error: a deadline could not be stored: the vault sent an unexpected reply"
            ])
        #expect(bench.answer(written.operation(), stored) == [])
        #expect(bench.room.unwritten == [testDevice(1)])
    }

    @Test("A phone that is back before its deadline could be stored leaves nothing to write")
    func backBeforeStored() {
        var bench = LogoutsBench()
        _ = bench.open("c1", at: 10)
        let written = bench.leave(at: 20)
        _ = bench.answer(written.operation(), failed)
        #expect(bench.come(at: 21) == [])
        #expect(bench.room.unwritten == [])
        #expect(bench.timeHasCome(at: 60) == [])
    }

    @Test("A row is changed when the phone's budget allows it, one change at a time")
    func allowed() {
        var bench = away()
        #expect(bench.come(at: 30) == ["logouts wants to write 1, paid by bob"])
        let cleared = bench.step { $0.mayWrite(testDevice(1), true, &$1) }
        #expect(cleared == ["write 1: no deadline"])
        // The row will hold no deadline, so this write does not need the budget.
        #expect(bench.leave(at: 31) == [])
        let written = bench.answer(cleared.operation(), stored)
        #expect(written == ["write 1: deadline 931"])
        #expect(bench.answer(written.operation(), stored) == [])
    }

    @Test("Over the budget the earlier deadline stands, and what it should be is written when the count is")
    func overBudget() {
        var bench = away()
        for second in [30, 40, 50] {
            #expect(bench.come(at: second) == ["logouts wants to write 1, paid by bob"])
            #expect(bench.step { $0.mayWrite(testDevice(1), false, &$1) } == [])
            #expect(bench.leave(at: second + 5) == ["logouts wants to write 1, paid by bob"])
            #expect(bench.step { $0.mayWrite(testDevice(1), false, &$1) } == [])
        }
        #expect(bench.room.nextEnd(of: testDevice(1))?.at == .seconds(955))
        #expect(bench.step(at: 60) { $0.budgetSettled(testDevice(1), &$1) } == ["write 1: deadline 955"])
        #expect(bench.step(at: 61) { $0.budgetSettled(testDevice(1), &$1) } == [])
    }

    @Test("Over the budget a deadline is written all the same that comes sooner than what stands")
    func sooner() {
        var bench = away()
        let step = bench.step(at: 30) { $0.awayTimeSet(DeviceSheet(device: 1, autoLogout: 300), &$1) }
        #expect(step == ["write 1: deadline 320"])
    }

    @Test("What was refused by the budget is written when nothing stands after all")
    func refusedButNothingStands() {
        var bench = LogoutsBench()
        _ = bench.open("c1", at: 10)
        let written = bench.leave(at: 20)
        _ = bench.come(at: 21)
        _ = bench.step { $0.mayWrite(testDevice(1), false, &$1) }
        _ = bench.leave(at: 22)
        _ = bench.step { $0.mayWrite(testDevice(1), false, &$1) }
        _ = bench.answer(written.operation(), failed)
        #expect(bench.timeHasCome(at: 23) == ["write 1: deadline 922"])
    }

    @Test("A revocation clears the row: the deadline is written again behind it, and late answers count for nothing")
    func revoked() {
        var bench = LogoutsBench()
        _ = bench.open("c1", at: 10)
        let written = bench.leave(at: 20)
        let again = bench.step(at: 21) { $0.barred([testDevice(1)], &$1) }
        #expect(again == ["write 1: deadline 920"])
        #expect(bench.answer(written.operation(), failed) == [])
        #expect(bench.answer(again.operation(), stored) == [])
        _ = bench.timeHasCome(at: 860)
        #expect(bench.timeHasCome(at: 920).lines.contains("due: c1, away"))
    }

    @Test("A revoked phone that is here has no deadline, and gets one when it goes")
    func revokedHere() {
        var bench = LogoutsBench()
        _ = bench.open("c1", at: 10)
        #expect(bench.step(at: 20) { $0.barred([testDevice(1)], &$1) } == [])
        #expect(bench.leave(at: 21) == ["write 1: deadline 921"])
    }

    // MARK: - What an earlier run left

    private func started(_ found: [StoredDeadline]) -> (LogoutsBench, StepTextLogouts) {
        var bench = LogoutsBench()
        bench.room = Logouts()
        #expect(bench.step(at: 100) { $0.started(&$1) } == [])
        let step = bench.step(at: 100) { $0.deadlinesRead(found, &$1) }
        return (bench, step)
    }

    private func found(_ device: UInt8, at second: Int) -> StoredDeadline {
        StoredDeadline(device: testDevice(device), kind: .awayLogout, at: .seconds(second))
    }

    @Test("A deadline of an earlier run ends the session that it was for")
    func restored() {
        var (bench, step) = started([found(1, at: 500)])
        #expect(step == [])
        #expect(bench.open("c1", isHere: false, at: 101) == [])
        #expect(bench.step(at: 102) { $0.sessionsRead(&$1) } == [])
        _ = bench.timeHasCome(at: 440)
        #expect(bench.timeHasCome(at: 500) == ["due: c1, away", "logouts wants to write 1, paid by bob"])
    }

    @Test("A session of an earlier run whose choice cannot be read keeps its deadline, also once it can be")
    func restoredUnread() {
        var (bench, _) = started([found(1, at: 500)])
        _ = bench.open("c1", sheet: nil, isHere: false, at: 101)
        _ = bench.step(at: 110) { $0.awayTimeSet(DeviceSheet(device: 1, autoLogout: 900), &$1) }
        #expect(bench.room.nextEnd(of: testDevice(1))?.at == .seconds(500))
    }

    @Test("What this run wrote is not taken for an earlier run's when it is read late")
    func ownRow() {
        var bench = LogoutsBench()
        bench.room = Logouts()
        _ = bench.step(at: 100) { $0.started(&$1) }
        _ = bench.open("c1", at: 101)
        let written = bench.leave(at: 110)
        _ = bench.answer(written.operation(), stored)
        for second in [120, 130] {
            _ = bench.come(at: second)
            _ = bench.leave(at: second)
        }
        let rows = [found(1, at: 1_010)]
        let step = bench.step(at: 130) { $0.deadlinesRead(rows, &$1) }
        #expect(step == [])
        #expect(bench.room.nextEnd(of: testDevice(1))?.at == .seconds(1_030))
    }

    @Test("A deadline of an earlier run that comes before anybody knows whose sessions are ends them unseen")
    func unseen() {
        var (bench, _) = started([found(1, at: 500)])
        #expect(bench.timeHasCome(at: 500) == ["due unseen: 1", "logouts wants to write 1, paid by "])
    }

    @Test("A deadline of an earlier run whose session is gone ends no later one")
    func gone() {
        var (bench, _) = started([found(1, at: 500), found(2, at: 600)])
        _ = bench.open("c2", by: 2, isHere: false, at: 101)
        let step = bench.step(at: 102) { $0.sessionsRead(&$1) }
        #expect(step == ["logouts wants to write 1, paid by "])
        #expect(bench.step { $0.mayWrite(testDevice(1), true, &$1) } == ["write 1: no deadline"])
        #expect(bench.room.devices == [testDevice(2)])
    }

    @Test("Deadlines that are read after the sessions end no session that is gone, and none whose phone is here")
    func readLate() {
        var bench = LogoutsBench()
        bench.room = Logouts()
        _ = bench.step(at: 100) { $0.started(&$1) }
        _ = bench.open("c2", by: 2, isHere: true, at: 101)
        _ = bench.step(at: 102) { $0.sessionsRead(&$1) }
        let rows = [found(1, at: 500), found(2, at: 600)]
        let step = bench.step(at: 103) { $0.deadlinesRead(rows, &$1) }
        #expect(step == ["logouts wants to write 2, paid by bob", "logouts wants to write 1, paid by "])
        #expect(bench.room.deadline == nil)
        #expect(bench.timeHasCome(at: 900) == [])
    }
}
