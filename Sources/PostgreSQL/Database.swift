import EventLoop

/// A small pool of connections to one server, lent to callers in order of arrival.
///
/// The pool opens a connection when it needs one, and replaces lost connections in the same way. After a failed attempt
/// to connect, calls fail at once during a pause, which doubles from 0.1 s to 5 s.
public actor Database {
    public struct Limits: Sendable {
        /// The most connections that are open at a time.
        public var connections = 4
        /// The most callers that may wait for a connection; further callers get `busy`.
        public var waiters = 256
        /// The time for a call without a deadline of its own, including its wait for a connection.
        public var patience = Duration.seconds(5)
        /// The most time for connecting, within the caller's deadline.
        public var connecting = Duration.seconds(5)

        public init() {}
    }

    public nonisolated let loop: EpollLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private let settings: DatabaseSettings
    private let limits: Limits
    private var places: PlaceQueue
    private var pause = ReconnectPause()
    private var idle: [DatabaseConnection] = []
    private var lent: [ObjectIdentifier: DatabaseConnection] = [:]
    private var waiting: [PlaceQueue.Ticket: WaitPoint] = [:]
    private var isOpen = true

    public init(_ settings: DatabaseSettings, limits: Limits = Limits(), on loop: EpollLoop) {
        self.settings = settings
        self.limits = limits
        self.loop = loop
        places = PlaceQueue(places: limits.connections, limit: limits.waiters)
    }

    /// Runs one statement in a transaction of its own.
    ///
    /// - Parameter deadline: A time since boot. Without one, the deadline is `Limits.patience` from now.
    public func run(
        _ statement: DatabaseStatement, _ values: [DatabaseValue] = [], by deadline: Duration? = nil
    ) async throws(DatabaseError) -> DatabaseResult {
        let deadline = deadline ?? loop.now() + limits.patience
        let connection = try await borrow(by: deadline)
        do throws(DatabaseError) {
            let result = try await connection.run(statement, values, by: deadline)
            await giveBack(connection)
            return result
        } catch {
            await giveBack(connection)
            throw error
        }
    }

    /// Runs `body` in one transaction. Commits when `body` returns, and rolls back when it throws.
    ///
    /// - Parameter ifUnknown: Maps the body's value to the result if the outcome of COMMIT is unknown.
    /// - Throws: The body's error, or a `DatabaseError`. `outcomeUnknown` occurs only after COMMIT was sent. After
    ///   `conflict`, the whole call may be repeated.
    public func transaction<Value: Sendable>(
        _ isolation: DatabaseTransaction.Isolation = .readCommitted, by deadline: Duration? = nil,
        ifUnknown: @Sendable (Value) throws -> Value = { _ in throw DatabaseError.outcomeUnknown },
        _ body: @Sendable (DatabaseTransaction) async throws -> Value
    ) async throws -> Value {
        let deadline = deadline ?? loop.now() + limits.patience
        let connection = try await borrow(by: deadline)
        do {
            let value = try await connection.transaction(isolation, by: deadline, ifUnknown: ifUnknown, body)
            await giveBack(connection)
            return value
        } catch {
            await giveBack(connection)
            throw error
        }
    }

    /// Closes every connection, including those in use. Waiting and later callers get `unreachable`.
    public func close() async {
        guard isOpen else { return }
        isOpen = false
        for point in waiting.values { point.signal() }
        let all = idle + lent.values
        idle = []
        for connection in all { await connection.close() }
    }

    // MARK: Lending

    private static let closed = DatabaseError.unreachable("this program closed it")

    private func borrow(by deadline: Duration) async throws(DatabaseError) -> DatabaseConnection {
        try await takePlace(by: deadline)
        do throws(DatabaseError) {
            let connection = try await connection(by: deadline)
            // If the pool was closed in the meantime, nothing else would close this connection.
            guard isOpen else {
                await connection.close()
                throw Self.closed
            }
            lent[ObjectIdentifier(connection)] = connection
            return connection
        } catch {
            leavePlace()
            throw error
        }
    }

    private func giveBack(_ connection: DatabaseConnection) async {
        lent[ObjectIdentifier(connection)] = nil
        if await connection.isIdle, isOpen { idle.append(connection) } else { await connection.close() }
        leavePlace()
    }

    /// Returns an idle connection that still works, or opens a new one.
    private func connection(by deadline: Duration) async throws(DatabaseError) -> DatabaseConnection {
        while let last = idle.popLast() {
            if await last.isIdle { return last }
            await last.close()
        }
        guard isOpen else { throw Self.closed }
        let begin = loop.now()
        if let reason = pause.refusal(at: begin) { throw .unreachable(reason) }
        do throws(DatabaseError) {
            let opened = try await DatabaseConnection.open(
                settings, on: loop, by: min(deadline, begin + limits.connecting))
            pause.succeeded()
            return opened
        } catch {
            if case .unreachable(let why) = error { pause.failed(begunAt: begin, at: loop.now(), why) }
            throw error
        }
    }

    private func takePlace(by deadline: Duration) async throws(DatabaseError) {
        guard isOpen else { throw Self.closed }
        switch places.enter() {
        case .admitted: return
        case .full: throw .busy
        case .waits(let ticket): try await wait(with: ticket, by: deadline)
        }
    }

    private func wait(with ticket: PlaceQueue.Ticket, by deadline: Duration) async throws(DatabaseError) {
        let point = WaitPoint(on: loop)
        waiting[ticket] = point
        let outcome = await point.wait(since: point.mark(), until: deadline)
        waiting[ticket] = nil
        // If the place was granted at the same moment, the caller uses the place and later returns it like any other.
        guard places.giveUp(ticket) else { return }
        switch outcome {
        case .signalled: throw Self.closed
        case .timedOut: throw .timedOut
        case .cancelled: throw .cancelled
        }
    }

    private func leavePlace() {
        if let next = places.leave() { waiting[next]?.signal() }
    }
}
