import EventLoop
import Testing

@testable import PostgreSQL

@Suite("Transactions at a real server", .timeLimit(.minutes(14)))
struct TransactionTests {
    private struct OwnError: Error {}

    private static let insert = DatabaseStatement("insert", "INSERT INTO transacted VALUES ($1)")
    private static let count = DatabaseStatement("count", "SELECT count(*) FROM transacted WHERE name = $1")
    private static let wrong = DatabaseStatement("wrong", "SELECT 1 / 0")
    private static let table = """
        SELECT pg_advisory_lock(1); CREATE TABLE IF NOT EXISTS transacted (name text PRIMARY KEY)
        """

    private func count(_ name: String, _ database: Database) async throws -> Int64 {
        try await database.run(Self.count, [.text(name)]).rows[0].integer(0)
    }

    @Test("What a body did is kept when it returns, and gone when it throws")
    func keptOrGone() async throws {
        try await withDatabase { database, loop in
            try await execute(Self.table, on: loop)
            let value = try await database.transaction { connection in
                _ = try await connection.run(Self.insert, [.text("kept")])
                return 7
            }
            #expect(value == 7)
            await #expect(throws: OwnError.self) {
                try await database.transaction { connection in
                    _ = try await connection.run(Self.insert, [.text("gone")])
                    throw OwnError()
                }
            }
            expectEqual(try await count("kept", database), 1)
            expectEqual(try await count("gone", database), 0)
        }
    }

    @Test("A body that goes on after a failed statement does not get a COMMIT that keeps nothing")
    func failedInside() async throws {
        let (error, rows) = try await withDatabase { database, loop in
            try await execute(Self.table, on: loop)
            let error = await failure {
                try await database.transaction { connection in
                    _ = try await connection.run(Self.insert, [.text("half")])
                    _ = await failure { try await connection.run(Self.wrong) }
                }
            }
            return (error, try await count("half", database))
        }
        guard case .refused("25P02", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(rows == 0)
    }

    @Test("A transaction that has ended runs nothing more")
    func ended() async throws {
        let error = try await withDatabase { database, _ in
            let leaked = try await database.transaction { connection in connection }
            return await failure { try await leaked.run(Statements.one) }
        }
        guard case .refused("25P01", _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("A backend that is killed before COMMIT leaves nothing open, and the next call works")
    func killedBefore() async throws {
        var limits = Database.Limits()
        limits.connections = 1
        try await withDatabase(limits) { database, loop in
            try await execute(Self.table, on: loop)
            try await withDatabase { other, _ in
                // The backend is killed between two statements, and right before COMMIT.
                for isLast in [false, true] {
                    let error = await failure {
                        try await database.transaction { connection in
                            let backend = try await connection.run(Statements.backend).rows[0].integer(0)
                            _ = try await connection.run(Self.insert, [.text("killed")])
                            let ended = try await other.run(Statements.terminate, [.integer(backend)])
                            expectEqual(try ended.rows[0].boolean(0), true)
                            if !isLast { _ = try await connection.run(Statements.one) }
                        }
                    }
                    guard case .unreachable = error else {
                        Issue.record("\(String(describing: error))")
                        return
                    }
                }
            }
            expectEqual(try await count("killed", database), 0)
        }
    }

    @Test("A backend that is killed between two calls is replaced without an error")
    func killedIdle() async throws {
        try await withDatabase { database, _ in
            let before = try await database.backend()
            _ = try await withDatabase { other, _ in
                try await other.run(Statements.terminate, [.integer(before)])
            }
            let after = try await database.backend()
            #expect(after != before)
        }
    }

    @Test("A COMMIT that is not answered has an unknown outcome, whatever ends the wait", arguments: CommitEnd.allCases)
    func unknown(_ end: CommitEnd) async throws {
        let name = "unknown when \(end)"
        let (error, rows) = try await withUnansweredCommit(
            end, Self.table, (Self.count, [.text(name)])
        ) { transaction, says in
            _ = try await transaction.run(Self.insert, [.text(name)])
            says(try await transaction.run(Statements.backend).rows[0].integer(0))
        }
        #expect(error == .outcomeUnknown)
        // The row was committed, but the caller cannot know that.
        #expect(rows == 1)
    }

    @Test("A statement of its own transaction that is not answered has an unknown outcome")
    func unknownStatement() async throws {
        let error = try await withDatabase(.init(), waitsForStandby) { database, loop in
            try await execute(Self.table, on: loop)
            _ = try await database.backend()
            return await failure {
                try await database.run(Self.insert, [.text("alone")], by: loop.now() + .seconds(3))
            }
        }
        #expect(error == .outcomeUnknown)
    }

    private static let update = DatabaseStatement("update", "UPDATE serialized SET value = value + 1")
    private static let read = DatabaseStatement("read", "SELECT value FROM serialized")

    @Test("Serializable transactions that are in each other's way are told to try again")
    func conflict() async throws {
        let error = try await withDatabase { database, loop in
            try await execute("CREATE TABLE serialized (value bigint); INSERT INTO serialized VALUES (1)", on: loop)
            return await failure {
                try await database.transaction(.serializable) { connection in
                    _ = try await connection.run(Self.read)
                    _ = try await database.run(Self.update)
                    _ = try await connection.run(Self.update)
                }
            }
        }
        #expect(error == .conflict)
    }
}
