import EventLoop

@testable import PostgreSQL

/// COMMIT at the tests' server waits for a standby that is not there, when this is asked.
let waitsForStandby = [("options", "-c synchronous_commit=on")]

/// What ends the wait for a COMMIT.
enum CommitEnd: CaseIterable, Sendable { case killed, cancelled, deadline }

/// Has `body` make a transaction whose COMMIT is never answered.
///
/// - Parameters:
///   - table: SQL that comes first.
///   - count: What counts the rows that the body has made.
///   - body: Says which backend it has, before it commits.
/// - Returns: What the caller of the transaction was told, and the rows that are there afterwards.
func withUnansweredCommit(
    _ end: CommitEnd, _ table: String, _ count: (statement: DatabaseStatement, values: [DatabaseValue]),
    _ body: @escaping @Sendable (DatabaseTransaction, _ says: @Sendable (Int64) -> Void) async throws -> Void
) async throws -> (DatabaseError?, Int64) {
    try await withDatabase(.init(), waitsForStandby) { database, loop in
        try await execute(table, on: loop)
        // Connected before the deadline runs: what is waited for is the COMMIT.
        _ = try await database.backend()
        return try await withDatabase { other, _ in
            let backend = AsyncStream<Int64>.makeStream()
            let limit: Duration = end == .deadline ? .seconds(3) : plenty
            let task = loop.spawn {
                await failure {
                    try await database.transaction(by: loop.now() + limit) { transaction in
                        try await body(transaction) { backend.continuation.yield($0) }
                    }
                }
            }
            var pids = backend.stream.makeAsyncIterator()
            let pid = await pids.next() ?? 0
            try await other.waitUntil(Statements.isCommitting, [.integer(pid)])
            if end == .killed { _ = try await other.run(Statements.terminate, [.integer(pid)]) }
            if end == .cancelled { task.cancel() }
            let error = await task.value
            if end != .killed { _ = try await other.run(Statements.terminate, [.integer(pid)]) }
            return (error, try await other.run(count.statement, count.values).rows[0].integer(0))
        }
    }
}
