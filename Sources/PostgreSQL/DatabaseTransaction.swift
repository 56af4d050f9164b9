import EventLoop

/// A transaction that runs statements until it ends.
///
/// BEGIN goes out with the first statement, and COMMIT may go with the last (`finish`), which saves two trips.
public actor DatabaseTransaction {
    public enum Isolation: Sendable {
        case readCommitted
        case serializable

        var begin: StaticString {
            switch self {
            case .readCommitted: "BEGIN ISOLATION LEVEL READ COMMITTED"
            case .serializable: "BEGIN ISOLATION LEVEL SERIALIZABLE"
            }
        }
    }

    /// ```
    /// toBegin ─a statement─► running ─► open ─finish─► running ─► kept
    /// running ─a failure─► failed                any ─end─► ended
    /// ```
    private enum Stage {
        case toBegin(Isolation)
        case running
        case open
        /// Nothing in the transaction will be committed.
        case failed
        case kept
        case ended
    }

    private nonisolated let loop: EpollLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    /// The deadline of the whole transaction, as a time since boot.
    public nonisolated let deadline: Duration
    private let connection: DatabaseConnection
    private var stage: Stage

    init(_ connection: DatabaseConnection, _ isolation: Isolation, by deadline: Duration) {
        loop = connection.loop
        self.connection = connection
        self.deadline = deadline
        stage = .toBegin(isolation)
    }

    /// Runs one statement at a time. After a failed statement it throws 25P02, and after the transaction's end 25P01.
    public func run(
        _ statement: DatabaseStatement, _ values: [DatabaseValue] = []
    ) async throws(DatabaseError) -> DatabaseResult {
        try await run(statement, values, isLast: false)
    }

    /// Runs the last statement, and commits in the same trip, even if the body then throws. A failed statement commits
    /// nothing.
    ///
    /// - Throws: The same errors as `Database.transaction`, including `outcomeUnknown`.
    public func finish(
        _ statement: DatabaseStatement, _ values: [DatabaseValue] = []
    ) async throws(DatabaseError) -> DatabaseResult {
        try await run(statement, values, isLast: true)
    }

    private func run(
        _ statement: DatabaseStatement, _ values: [DatabaseValue], isLast: Bool
    ) async throws(DatabaseError) -> DatabaseResult {
        var framing = DatabaseConnection.Framing(commits: isLast)
        switch stage {
        case .toBegin(let isolation): framing.begin = isolation.begin
        case .open: break
        case .running: throw .busy
        case .failed: throw Self.nothingKept
        case .kept, .ended:
            throw .refused(sqlState: "25P01", message: "the transaction has ended before this statement")
        }
        stage = .running
        do throws(DatabaseError) {
            let result = try await connection.run(statement, values, in: framing, by: deadline)
            stage = isLast ? .kept : .open
            return result
        } catch {
            stage = .failed
            throw error
        }
    }

    static let nothingKept = DatabaseError.refused(
        sqlState: "25P02", message: "a statement of the transaction failed, so the transaction is rolled back")

    /// Ends the transaction and commits it. No further statement may run, because other callers get the connection.
    func commit() async throws(DatabaseError) {
        let last = end()
        switch last {
        // No statement was sent, or the server has committed already.
        case .toBegin, .kept: return
        case .open: try await connection.commit(by: deadline)
        case .running, .failed, .ended:
            await connection.rollBack(by: deadline)
            throw Self.nothingKept
        }
    }

    /// Ends the transaction and rolls it back, unless it was committed before.
    func rollBack() async {
        switch end() {
        case .toBegin, .kept: return
        case .running, .open, .failed, .ended: await connection.rollBack(by: deadline)
        }
    }

    private func end() -> Stage {
        defer { stage = .ended }
        return stage
    }
}

extension DatabaseConnection {
    /// Runs BEGIN, the body and COMMIT, or ROLLBACK if the body throws.
    ///
    /// - Throws: The error of the body or `ifUnknown`, or a `DatabaseError`; `outcomeUnknown` only after COMMIT.
    func transaction<Value: Sendable>(
        _ isolation: DatabaseTransaction.Isolation, by deadline: Duration,
        ifUnknown: @Sendable (Value) throws -> Value,
        _ body: @Sendable (DatabaseTransaction) async throws -> Value
    ) async throws -> Value {
        let transaction = DatabaseTransaction(self, isolation, by: deadline)
        let value: Value
        do {
            value = try await body(transaction)
        } catch {
            await transaction.rollBack()
            throw error
        }
        do throws(DatabaseError) {
            try await transaction.commit()
            return value
        } catch {
            guard error == .outcomeUnknown else { throw error }
            return try ifUnknown(value)
        }
    }

    func commit(by deadline: Duration) async throws(DatabaseError) {
        guard isOpen else { throw .unreachable("the connection has ended") }
        do throws(DatabaseError) {
            let tag = try await command("COMMIT", decides: true, by: deadline)
            guard tag == "COMMIT" else {
                throw .refused(sqlState: "25P02", message: "the server did not commit the transaction")
            }
        } catch {
            // A server that reports an error has rolled back. If COMMIT was never sent, the transaction is still open.
            if isInTransaction { close() }
            throw error
        }
    }

    /// Rolls back. If that fails, it closes the connection, which rolls back as well.
    func rollBack(by deadline: Duration) async {
        guard !isIdle else { return }
        do throws(DatabaseError) {
            try await command("ROLLBACK", decides: false, by: deadline)
        } catch {
            close()
        }
    }
}
