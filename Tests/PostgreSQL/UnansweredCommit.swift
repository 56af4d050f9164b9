import EventLoop

@testable import PostgreSQL

/// Options with which COMMIT waits for a standby that the tests' server does not have.
let waitsForStandby = [("options", "-c synchronous_commit=on")]

/// The event that ends the wait for a COMMIT.
enum CommitEnd: CaseIterable, Sendable { case killed, cancelled, deadline }

/// Runs `body` in a transaction whose COMMIT is never answered.
///
/// - Parameters:
///   - table: SQL that creates the table before the transaction.
///   - count: A query that counts the rows of `body`.
///   - body: Passes the backend's process id to `says` before it returns.
/// - Returns: The error for the caller of the transaction, and the number of rows afterwards.
func withUnansweredCommit(
    _ end: CommitEnd, _ table: String, _ count: (statement: DatabaseStatement, values: [DatabaseValue]),
    _ body: @escaping @Sendable (DatabaseTransaction, _ says: @Sendable (Int64) -> Void) async throws -> Void
) async throws -> (DatabaseError?, Int64) {
    try await withDatabase(.init(), waitsForStandby) { database, loop in
        try await execute(table, on: loop)
        // Connect before the deadline runs, so that only the COMMIT is waited for.
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
