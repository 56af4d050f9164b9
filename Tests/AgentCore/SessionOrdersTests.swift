import AgentConfiguration
import AuditLog
import PhoneMessages
import Testing
import VaultPort

@testable import AgentCore

@Suite("Acts on sessions, and whoever waits for them")
struct SessionOrdersTests {
    private var bench = Bench()
    private var room = SessionOrders()
    private var sessions = [Sample.known("c1"), Sample.known("c2")]

    private mutating func ask(_ operation: SessionOperation) -> Said {
        bench.run { room.asked(Sample.request(.lock), operation, sessions, none: .noSession, &$0) }
    }

    private mutating func answer(_ id: OperationID?, _ outcome: SessionOutcome) throws -> Said {
        try answer(id, .acted(outcome))
    }

    private mutating func answer(_ id: OperationID?, _ answer: Answer) throws -> Said {
        let id = try #require(id)
        return bench.run { room.answered(id, answer, sessions, &$0) }
    }

    @Test("A phone is answered once all its sessions have answered")
    mutating func answersOnce() throws {
        let asked = ask(.lock)
        #expect(asked.acts == ["lock c1", "lock c2"])
        #expect(asked.results.isEmpty)
        let first = try answer(asked.operation(1), .done)
        #expect(first.results.isEmpty)
        #expect(first.turns == ["lock c2 done, changes"])
        #expect(first.details == ["lock"])
        #expect(try answer(asked.operation(0), .done).results == [.correct])
        #expect(room.count == 0 && room.deadline == nil)
    }

    @Test("The worst outcome counts, in whichever order they come")
    mutating func worst() throws {
        for order in [[0, 1], [1, 0]] {
            let asked = ask(.lock)
            let outcomes: [SessionOutcome] = [.failed(reason: "late"), .cannot(reason: "no locker")]
            var results: [ResultCode] = []
            for place in order { results += try answer(asked.operation(place), outcomes[place]).results }
            #expect(results == [.didNotLock])
        }
    }

    @Test("What a session cannot do is not what it did not do", arguments: SessionOperation.allCases)
    mutating func codes(operation: SessionOperation) {
        let isLock = operation == .lock
        #expect(SessionOrder.code(operation, [.cannot(reason: "")]) == (isLock ? .cannotLock : .boxFault))
        #expect(SessionOrder.code(operation, [.failed(reason: "")]) == (isLock ? .didNotLock : .boxFault))
        #expect(SessionOrder.code(operation, [.done]) == .correct)
        #expect(SessionOrder.code(operation, [.gone]) == .noSession)
    }

    @Test("A phone without a session is told so, and nothing is done")
    mutating func noSession() {
        sessions = [Sample.known("c1", device: 2), Sample.known("c3", device: nil)]
        let said = ask(.logout)
        #expect(said.results == [.noSession] && said.acts.isEmpty)
    }

    @Test("A failure is said in the log, and is no entry of the audit log")
    mutating func failure() throws {
        sessions = [Sample.known()]
        let asked = ask(.unlock)
        let said = try answer(asked.operations.first, .failed(reason: "the bus is gone"))
        #expect(said.lines == ["unlock of alice's session: the bus is gone"])
        #expect(said.entries.isEmpty && said.results == [.boxFault])
    }

    @Test("To lock what is locked changes nothing, and is no entry")
    mutating func lockedAlready() throws {
        sessions = [Sample.known(isLocked: true)]
        let asked = ask(.lock)
        let said = try answer(asked.operations.first, .done)
        #expect(said.entries.isEmpty && said.results == [.correct])
        #expect(said.turns == ["lock c1 done"])
    }

    @Test("A logout says at once why, and only the first of two does")
    mutating func ending() {
        sessions = [Sample.known()]
        #expect(ask(.logout).turns == ["ending c1, phone"])
        sessions = [Sample.known(ending: true)]
        #expect(ask(.logout).turns.isEmpty)
    }

    @Test("A phone that is revoked meanwhile hears nothing; what was done is written down all the same")
    mutating func revokedMeanwhile() throws {
        sessions = [Sample.known()]
        let asked = ask(.lock)
        room.barred([testDevice(1)])
        let said = try answer(asked.operations.first, .done)
        #expect(said.results.isEmpty && said.kinds == [.sessionOperation])
    }

    @Test("An act that nobody answers counts as failed after 300 s; a late answer is dropped")
    mutating func lateAct() throws {
        sessions = [Sample.known()]
        let asked = ask(.lock)
        #expect(room.deadline == .seconds(1_300))
        bench.pass(.seconds(299))
        #expect(bench.run { room.timeHasCome(sessions, &$0) }.results.isEmpty)
        bench.pass(.seconds(1))
        #expect(bench.run { room.timeHasCome(sessions, &$0) }.results == [.didNotLock])
        let late = try answer(asked.operations.first, .done)
        #expect(late.effects.isEmpty && late.facts.isEmpty)
    }

    @Test("An answer of another kind counts as failed")
    mutating func otherAnswer() throws {
        sessions = [Sample.known()]
        let asked = ask(.logout)
        #expect(try answer(asked.operations.first, .idlenessRead).results == [.boxFault])
    }

    // MARK: - Absence

    @Test("A phone that goes has its sessions locked, where one is not")
    mutating func away() {
        sessions = [Sample.known("c1", isLocked: true), Sample.known("c2"), Sample.known("c3", device: 2)]
        let said = bench.run { room.away(testDevice(1), why: "weak for 12 s", sessions, &$0) }
        #expect(said.acts == ["lock c1", "lock c2"])
        #expect(said.lines == ["device \(testDevice(1)) is away: locking its sessions; weak for 12 s"])
        sessions = [Sample.known("c1", isLocked: true)]
        #expect(bench.run { room.away(testDevice(1), why: "", sessions, &$0) }.acts.isEmpty)
    }

    @Test("Of an absent phone's sessions those are ended that did not lock, if the policy says so")
    mutating func terminates() throws {
        bench = Bench { $0.presence.onLockFailure = .terminate }
        let asked = bench.run { room.away(testDevice(1), why: "", sessions, &$0) }
        _ = try answer(asked.operation(0), .failed(reason: "late"))
        sessions[1] = Sample.known("c2", isLocked: true)
        let said = try answer(asked.operation(1), .done)
        #expect(said.acts == ["logout c1"])
        #expect(said.turns.contains("ending c1, notLocked"))
        #expect(
            said.lines == ["a session of device \(testDevice(1)) did not lock when its phone left; policy: terminate"])
    }

    @Test("A session that did not lock is left to the automatic logout, unless the policy says otherwise")
    mutating func reports() throws {
        sessions = [Sample.known()]
        let asked = bench.run { room.away(testDevice(1), why: "", sessions, &$0) }
        let said = try answer(asked.operation(0), .cannot(reason: "no locker"))
        #expect(said.acts.isEmpty && said.lines.count == 2)
    }

    @Test("A session that has ended or was locked before the policy is asked is not ended")
    mutating func lockedMeanwhile() throws {
        bench = Bench { $0.presence.onLockFailure = .terminate }
        let asked = bench.run { room.away(testDevice(1), why: "", sessions, &$0) }
        _ = try answer(asked.operation(0), .failed(reason: "late"))
        sessions = [Sample.known("c1", isLocked: true)]
        #expect(try answer(asked.operation(1), .failed(reason: "gone")).acts.isEmpty)
    }

    // MARK: - Limits and kept deadlines

    @Test("A limit ends a session for its own reason, and a failure is said")
    mutating func limit() throws {
        let said = bench.run { room.logoutDue(Sample.key("c2"), .closing, sessions, &$0) }
        #expect(said.acts == ["logout c2"] && said.turns == ["ending c2, closing"])
        #expect(said.lines == ["logging out alice's session: the site is closing"])
        let failed = try answer(said.operations.first, .failed(reason: "it is still there"))
        #expect(failed.lines.last == "the session could not be ended; to try again, run 'boxagent logout'")
        let again = bench.run { room.logoutDue(Sample.key("c2"), .idle, sessions, &$0) }
        #expect(try answer(again.operations.first, .done).details == ["logout: it was idle for too long"])
    }

    @Test("A kept deadline ends what its owner has, and asks the vault whose it is until it says so")
    mutating func unseen() throws {
        var said = bench.run { room.logoutDueUnseen(testDevice(1), record: nil, &$0) }
        said = try answer(said.operations.first, .vault(.failed(.diskFull)))
        #expect(said.turns == ["owner unreadable"] && said.acts.isEmpty)
        #expect(room.deadline == .seconds(1_001))
        bench.pass(.seconds(1))
        said = bench.run { room.timeHasCome(sessions, &$0) }
        let sheet = VaultAnswer.sheet(Sample.sheet())
        said = try answer(said.operations.first, .vault(sheet))
        #expect(said.acts == ["logout alice"])
        let failed = try answer(said.operations.first, .cannot(reason: "no command"))
        #expect(failed.details.isEmpty && failed.lines == ["no logout by a stored deadline: no command"])
    }

    @Test("A kept deadline of a device that is gone ends nothing")
    mutating func unseenGone() throws {
        let said = bench.run { room.logoutDueUnseen(testDevice(1), record: nil, &$0) }
        let sheet = VaultAnswer.sheet(nil)
        #expect(try answer(said.operations.first, .vault(sheet)).acts.isEmpty)
        #expect(room.deadline == nil)
    }

    @Test("When nobody knows whose sessions are, every person's is locked, and what did not is said")
    mutating func everybody() throws {
        sessions = [Sample.known(nil), Sample.known("c1", device: nil), Sample.known("c2")]
        let said = bench.run { room.lockEverybody(sessions, &$0) }
        #expect(said.acts == ["lock c1", "lock c2"])
        #expect(try answer(said.operation(0), .done).lines.isEmpty)
        let outcome = SessionOutcome.cannot(reason: "no locker")
        #expect(try answer(said.operation(1), outcome).lines == ["session c2 was not locked: no locker"])
    }

    // MARK: - Sleep

    @Test("The machine sleeps once what phones opened is locked")
    mutating func sleeps() throws {
        sessions = [Sample.known("c1"), Sample.known("c2", isLocked: true), Sample.known("c3", device: nil)]
        let said = bench.run { room.sleeping(sessions, &$0) }
        #expect(said.acts == ["lock c1"] && !said.allowsSleep)
        #expect(try answer(said.operations.first, .failed(reason: "late")).allowsSleep)
        #expect(room.deadline == nil)
    }

    @Test("The machine sleeps after 4 s all the same, once: a lock that answers later gives up no other delay")
    mutating func sleepsUnlocked() throws {
        let said = bench.run { room.sleeping(sessions, &$0) }
        bench.pass(.seconds(4))
        #expect(bench.run { room.timeHasCome(sessions, &$0) }.allowsSleep)
        _ = bench.run { room.sleeping(sessions, &$0) }
        _ = try answer(said.operation(0), .done)
        #expect(try !answer(said.operation(1), .done).allowsSleep)
    }

    @Test("A machine that has woken is not told to sleep")
    mutating func wakes() throws {
        let said = bench.run { room.sleeping(sessions, &$0) }
        room.woke()
        _ = try answer(said.operation(0), .done)
        #expect(try !answer(said.operation(1), .done).allowsSleep)
    }

    @Test("Where everything is locked, the machine sleeps at once")
    mutating func sleepsAtOnce() {
        sessions = [Sample.known(isLocked: true)]
        #expect(bench.run { room.sleeping(sessions, &$0) }.allowsSleep)
    }
}
