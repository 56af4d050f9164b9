import EventLoop

/// What may be done inside a transaction, until it ends.
public actor DatabaseTransaction {
    public enum Isolation: Sendable {
        case readCommitted
        case serializable
    }

    private nonisolated let loop: EpollLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    /// The whole transaction's, as a time since boot.
    public nonisolated let deadline: Duration
    private var connection: DatabaseConnection?

    init(_ connection: DatabaseConnection, by deadline: Duration) {
        loop = connection.loop
        self.connection = connection
        self.deadline = deadline
    }

    /// Runs one statement. One at a time; after the transaction has ended it is refused (25P01).
    public func run(
        _ statement: DatabaseStatement, _ values: [DatabaseValue] = []
    ) async throws(DatabaseError) -> DatabaseResult {
        guard let connection else {
            throw .refused(sqlState: "25P01", message: "the transaction has ended before this statement")
        }
        return try await connection.run(statement, values, by: deadline)
    }

    /// From now on nothing runs here: the connection is somebody else's.
    func end() { connection = nil }
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
        let begin =
            switch isolation {
            case .readCommitted: "BEGIN ISOLATION LEVEL READ COMMITTED"
            case .serializable: "BEGIN ISOLATION LEVEL SERIALIZABLE"
            }
        try await command(begin, decides: false, by: deadline)
        let transaction = DatabaseTransaction(self, by: deadline)
        let value: Value
        do {
            value = try await body(transaction)
            await transaction.end()
        } catch {
            await transaction.end()
            await rollBack(by: deadline)
            throw error
        }
        do throws(DatabaseError) {
            try await commit(by: deadline)
            return value
        } catch {
            guard error == .outcomeUnknown else { throw error }
            return try ifUnknown(value)
        }
    }

    /// - Throws: `refused` (25P02) when a statement had failed and the body went on: COMMIT would roll back and look like a
    ///   success.
    func commit(by deadline: Duration) async throws(DatabaseError) {
        guard isOpen else { throw .unreachable("the connection has ended") }
        guard isInTransaction else {
            await rollBack(by: deadline)
            throw .refused(
                sqlState: "25P02", message: "a statement of the transaction failed, so nothing of it is kept")
        }
        do throws(DatabaseError) {
            let tag = try await command("COMMIT", decides: true, by: deadline)
            guard tag == "COMMIT" else {
                throw .refused(sqlState: "25P02", message: "the server has not kept the transaction")
            }
        } catch {
            // A server that answered with an error has rolled back; who did not get to ask is still inside.
            if isInTransaction { close() }
            throw error
        }
    }

    /// Whatever fails here ends the connection, which rolls back as well.
    private func rollBack(by deadline: Duration) async {
        do throws(DatabaseError) {
            try await command("ROLLBACK", decides: false, by: deadline)
        } catch {
            close()
        }
    }
}
