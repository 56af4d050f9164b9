import EventLoop

/// What may be done inside a transaction, until it ends.
///
/// BEGIN goes out with the first statement, and COMMIT may go with the last one (`finish`): a trip to the server less for each.
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
    /// running ─it failed─► failed                any ─end─► ended
    /// ```
    private enum Stage {
        case toBegin(Isolation)
        case running
        case open
        /// Nothing of it is kept, whatever follows.
        case failed
        case kept
        case ended
    }

    private nonisolated let loop: EpollLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    /// The whole transaction's, as a time since boot.
    public nonisolated let deadline: Duration
    private let connection: DatabaseConnection
    private var stage: Stage

    init(_ connection: DatabaseConnection, _ isolation: Isolation, by deadline: Duration) {
        loop = connection.loop
        self.connection = connection
        self.deadline = deadline
        stage = .toBegin(isolation)
    }

    /// Runs one statement. One at a time; after one that failed it is refused (25P02), after the transaction's end (25P01).
    public func run(
        _ statement: DatabaseStatement, _ values: [DatabaseValue] = []
    ) async throws(DatabaseError) -> DatabaseResult {
        try await run(statement, values, isLast: false)
    }

    /// Runs the last statement, and keeps the transaction in the same trip: it is kept whatever the body does afterwards. When the
    /// statement fails, nothing is kept.
    ///
    /// - Throws: as `Database.transaction`; `outcomeUnknown` too.
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

    /// From now on nothing runs here: the connection is somebody else's. Keeps what was done.
    func commit() async throws(DatabaseError) {
        let last = end()
        switch last {
        // Nothing was asked of the server, or it has answered already.
        case .toBegin, .kept: return
        case .open: try await connection.commit(by: deadline)
        case .running, .failed, .ended:
            await connection.rollBack(by: deadline)
            throw Self.nothingKept
        }
    }

    /// The same, and nothing is kept that was not before.
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
    /// BEGIN, the body, COMMIT; ROLLBACK when the body throws.
    ///
    /// - Throws: what the body or `ifUnknown` throws, or a `DatabaseError`. It is `outcomeUnknown` only when COMMIT was sent.
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
            // A server that answered with an error has rolled back; who did not get to ask is still inside.
            if isInTransaction { close() }
            throw error
        }
    }

    /// Whatever fails here ends the connection, which rolls back as well.
    func rollBack(by deadline: Duration) async {
        guard !isIdle else { return }
        do throws(DatabaseError) {
            try await command("ROLLBACK", decides: false, by: deadline)
        } catch {
            close()
        }
    }
}
