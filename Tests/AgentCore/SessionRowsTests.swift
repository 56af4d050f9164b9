import Testing
import VaultPort

@testable import AgentCore

@Suite("Rows of sessions")
struct SessionRowsTests {
    private var bench = Bench()
    private var rows = SessionRows(.sessions, after: 0)

    private mutating func want(_ change: SessionRows.Change) -> Said { bench.run { rows.want(change, &$0) } }

    private mutating func fail(_ said: Said) throws -> Said {
        let id = try #require(said.operation(0))
        return bench.run { rows.answered(id, .vault(.failed(.diskFull)), &$0) }
    }

    @Test("A row is tried again after 1, 2, 4, 8, 16, 30, 30 seconds, and the log says so once")
    mutating func pauses() throws {
        var said = want(.keep(Sample.stored()))
        var pauses: [Int64] = []
        var lines = 0
        for _ in 0..<7 {
            lines += try fail(said).lines.count
            let due = try #require(rows.deadline)
            pauses.append((due - bench.now.sinceBoot).components.seconds)
            bench.now.sinceBoot = due
            said = bench.run { rows.timeHasCome(&$0) }
            #expect(said.rows == ["keep c1"])
        }
        #expect(pauses == [1, 2, 4, 8, 16, 30, 30] && lines == 1)
        let id = try #require(said.operation(0))
        _ = bench.run { rows.answered(id, .vault(.done), &$0) }
        #expect(rows.count == 0 && rows.deadline == nil)
    }

    @Test("Of more ends than are kept the oldest is given up, and no session that goes on")
    mutating func limit() {
        _ = want(.keep(Sample.stored("kept")))
        for number in 0..<SessionRows.limit { _ = want(.forget(Array("c\(number)".utf8))) }
        #expect(rows.count == SessionRows.limit)
        #expect(!rows.isForgetting(Array("c0".utf8)) && rows.isForgetting(Array("c1".utf8)))
    }
}
