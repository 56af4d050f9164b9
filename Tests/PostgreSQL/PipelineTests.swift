import EventLoop
import Testing

@testable import PostgreSQL

@Suite("BEGIN and COMMIT in one trip with a statement, at a real server", .timeLimit(.minutes(14)))
struct PipelineTests {
    private struct OwnError: Error {}

    private static let insert = DatabaseStatement("insert", "INSERT INTO pipelined VALUES ($1)")
    private static let count = DatabaseStatement("count", "SELECT count(*) FROM pipelined WHERE name = $1")
    private static let wrong = DatabaseStatement("wrong", "SELECT 1 / 0")
    private static let unknown = DatabaseStatement("unknown", "SELECT 1 FROM nowhere")
    private static let many = DatabaseStatement("many", "SELECT i::bigint FROM generate_series(1, $1) i")
    private static let table = """
        SELECT pg_advisory_lock(1);
        CREATE TABLE IF NOT EXISTS pipelined (name text PRIMARY KEY DEFERRABLE INITIALLY DEFERRED)
        """

    private func count(_ name: String, _ database: Database) async throws -> Int64 {
        try await database.run(Self.count, [.text(name)]).rows[0].integer(0)
    }

    private func expect(_ error: DatabaseError?, _ state: String) {
        guard case .refused(state, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("What was finished is kept though the body throws behind it, and its rows are there")
    func finished() async throws {
        try await withDatabase { database, loop in
            try await execute(Self.table, on: loop)
            for others in [0, 1] {
                let name = "finished after \(others)"
                await #expect(throws: OwnError.self) {
                    try await database.transaction { transaction in
                        for _ in 0..<others { _ = try await transaction.run(Statements.one) }
                        _ = try await transaction.finish(Self.insert, [.text(name)])
                        throw OwnError()
                    }
                }
                expectEqual(try await count(name, database), 1)
            }
            let rows = try await database.transaction { try await $0.finish(Self.count, [.text("finished after 0")]) }
            expectEqual(try rows.rows[0].integer(0), 1)
            #expect(rows.affectedRows == 1)
        }
    }

    @Test("Behind its end it runs nothing more")
    func ended() async throws {
        let error = try await withDatabase { database, _ in
            await failure {
                try await database.transaction { transaction in
                    _ = try await transaction.finish(Statements.one)
                    _ = try await transaction.run(Statements.one)
                }
            }
        }
        expect(error, "25P01")
    }

    @Test("A last statement that fails keeps nothing of those before, and the connection serves on")
    func lastFails() async throws {
        var limits = Database.Limits()
        limits.connections = 1
        let (error, rows, backends) = try await withDatabase(limits) { database, loop in
            try await execute(Self.table, on: loop)
            let before = try await database.backend()
            let error = await failure {
                try await database.transaction { transaction in
                    _ = try await transaction.run(Self.insert, [.text("undone")])
                    _ = try await transaction.finish(Self.wrong)
                }
            }
            return (error, try await count("undone", database), [before, try await database.backend()])
        }
        expect(error, "22012")
        #expect(rows == 0)
        #expect(backends.first == backends.last)
    }

    @Test("A COMMIT that the server refuses keeps nothing, and is no success")
    func commitRefused() async throws {
        let (error, rows) = try await withDatabase { database, loop in
            try await execute(Self.table, on: loop)
            _ = try await database.run(Self.insert, [.text("twice")])
            // The server checks the deferred key at COMMIT.
            let error = await failure {
                try await database.transaction { _ = try await $0.finish(Self.insert, [.text("twice")]) }
            }
            return (error, try await count("twice", database))
        }
        expect(error, "23505")
        #expect(rows == 1)
    }

    @Test("Behind a first statement that fails nothing runs, neither in the transaction nor outside it")
    func firstFails() async throws {
        for first in [Self.unknown, Self.wrong] {
            let (inner, outer, rows) = try await withDatabase { database, loop in
                try await execute(Self.table, on: loop)
                let inner = AsyncStream<DatabaseError?>.makeStream()
                let outer = await failure {
                    try await database.transaction { transaction in
                        _ = await failure { try await transaction.run(first) }
                        inner.continuation.yield(
                            await failure { try await transaction.run(Self.insert, [.text("outside")]) })
                    }
                }
                var seen = inner.stream.makeAsyncIterator()
                return (await seen.next() ?? nil, outer, try await count("outside", database))
            }
            expect(inner, "25P02")
            expect(outer, "25P02")
            #expect(rows == 0)
        }
    }

    @Test("Rows are bounded there as elsewhere, and the next call has a connection that works")
    func bounded() async throws {
        try await withDatabase { database, _ in
            for isLast in [false, true] {
                let whole = try await database.transaction { transaction in
                    let values = [DatabaseValue.integer(Int64(ResultCollector.limitRows))]
                    return isLast
                        ? try await transaction.finish(Self.many, values) : try await transaction.run(Self.many, values)
                }
                #expect(whole.rows.count == ResultCollector.limitRows)
                let error = await failure {
                    try await database.transaction { transaction in
                        let values = [DatabaseValue.integer(Int64(ResultCollector.limitRows) + 1)]
                        _ =
                            isLast
                            ? try await transaction.finish(Self.many, values)
                            : try await transaction.run(Self.many, values)
                    }
                }
                #expect(error == .tooLarge)
                expectEqual(try await database.run(Statements.one).rows.count, 1)
            }
        }
    }

    @Test("A body that asks for nothing needs no server")
    func nothing() async throws {
        let value = try await withDatabase { database, _ in
            try await database.transaction { _ in 7 }
        }
        #expect(value == 7)
    }

    @Test("A finish that is not answered has an unknown outcome, whatever ends the wait", arguments: CommitEnd.allCases)
    func unanswered(_ end: CommitEnd) async throws {
        let name = "unanswered when \(end)"
        let (error, rows) = try await withUnansweredCommit(
            end, Self.table, (Self.count, [.text(name)])
        ) { transaction, says in
            says(try await transaction.run(Statements.backend).rows[0].integer(0))
            _ = try await transaction.finish(Self.insert, [.text(name)])
        }
        #expect(error == .outcomeUnknown)
        #expect(rows == 1)
    }
}
