import Testing
import VaultPort

@testable import AgentCore

@Suite("What an earlier run wrote down")
struct RestoringTests {
    private var bench = Bench()
    private var room = Restoring()
    private let noRows = Answer.vault(.sessions(ofEarlierBoots: [], ofThisBoot: []))

    private mutating func start() -> Said { bench.run { room.started(&$0) } }
    private mutating func come() -> Said { bench.run { room.logindCame(&$0) } }

    private mutating func answer(_ id: OperationID?, _ answer: Answer) throws -> Said {
        let id = try #require(id)
        return bench.run { room.answered(id, answer, &$0) }
    }

    private mutating func timeHasCome(after seconds: Int) -> Said {
        bench.pass(.seconds(seconds))
        return bench.run { room.timeHasCome(&$0) }
    }

    @Test("Deadlines are read at the start, rows once logind is there, and nothing is asked twice")
    mutating func reads() throws {
        let started = start()
        #expect(started.rows == ["read deadlines"])
        let come = come()
        #expect(come.rows == ["read sessions"])
        #expect(self.come().rows.isEmpty)
        let deadline = StoredDeadline(device: testDevice(1), kind: .awayLogout, at: .seconds(9))
        let read = try answer(started.operations.first, .vault(.deadlines([deadline])))
        let told = read.facts.contains { if case .session(.deadlinesRead([deadline])) = $0 { true } else { false } }
        #expect(told)
        let rows = try answer(come.operations.first, noRows)
        #expect(rows.facts.contains { if case .session(.rowsRead) = $0 { true } else { false } })
        #expect(room.deadline == nil)
        #expect(self.come().rows == ["read sessions"], "logind may have been started anew")
    }

    @Test("Unknown is not none: a read that fails tells nobody anything, and is repeated")
    mutating func repeats() throws {
        let started = start()
        let failed = try answer(started.operations.first, .vault(.failed(.diskFull)))
        #expect(failed.facts.isEmpty)
        #expect(failed.lines == ["stored deadlines could not be read: \(VaultError.diskFull); run 'boxagent doctor'"])
        #expect(room.deadline == .seconds(1_001))
        let again = timeHasCome(after: 1)
        #expect(again.rows == ["read deadlines"])
        _ = try answer(again.operations.first, .vault(.failed(.diskFull)))
        #expect(room.deadline == .seconds(1_003))
    }

    @Test("After a minute of failures everybody's sessions are to be locked, once")
    mutating func locks() throws {
        _ = try answer(start().operations.first, .vault(.deadlines([])))
        var said = come()
        var turns: [String] = []
        for _ in 0..<9 {
            turns += try answer(said.operations.first, .vault(.failed(.diskFull))).turns
            said = timeHasCome(after: 30)
        }
        #expect(turns == ["owners unknown"])
    }

    @Test("A vault that does not answer counts as one that fails, and is not asked beside that")
    mutating func hangs() throws {
        let started = start()
        var said = timeHasCome(after: 30)
        #expect(said.lines == ["the vault has not answered within 30 s; run 'boxagent doctor'"])
        #expect(said.rows.isEmpty && room.deadline == .seconds(1_031))
        said = timeHasCome(after: 1)
        #expect(said.rows.isEmpty)
        var turns: [String] = []
        for _ in 0..<4 { turns += timeHasCome(after: 31).turns }
        #expect(turns == ["owners unknown"])
        let late = try answer(started.operations.first, .vault(.deadlines([])))
        #expect(late.facts.count == 1, "what is known late is known")
    }

    @Test("A failure to say whose a session is counts, until rows are read again")
    mutating func ownerUnknown() throws {
        _ = try answer(start().operations.first, .vault(.deadlines([])))
        _ = try answer(come().operations.first, noRows)
        _ = bench.run { room.couldNotRead(&$0) }
        let again = timeHasCome(after: 1)
        #expect(again.rows == ["read sessions"])
        _ = try answer(again.operations.first, noRows)
        bench.pass(.seconds(90))
        #expect(bench.run { room.couldNotRead(&$0) }.turns.isEmpty, "a minute counts from the first failure since")
    }
}
