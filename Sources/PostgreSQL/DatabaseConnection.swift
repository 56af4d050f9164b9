import CPostgreSQL
import EventLoop

/// One connection to a server. The event loop never blocks on it.
///
/// If a statement's deadline passes or its task is cancelled, the connection is closed, because its state is unknown.
public actor DatabaseConnection {
    /// The most statements that stay prepared on one connection; further ones are prepared at each use.
    static let preparedLimit = 256
    /// How often a TLS connection is polled during an exchange (see `ServerHandle.mayHideBytes`).
    private static let hiddenBytesPause = Duration.milliseconds(20)

    public nonisolated let loop: EpollLoop
    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private var handle: ServerHandle?
    private var isRunning = false
    /// Names of the prepared statements on the server, by statement and types of its values.
    private var prepared: [PreparedKey: String] = [:]
    private var lastPrepared = 0

    private struct PreparedKey: Hashable {
        let statement: DatabaseStatement
        let types: [UInt32]
    }

    /// Connects to a server.
    ///
    /// - Parameter deadline: A time since boot, as from `EpollLoop.now`.
    /// - Throws: `unreachable`, also if the server does not answer by the deadline; `cancelled`.
    public static func open(
        _ settings: DatabaseSettings, on loop: EpollLoop, by deadline: Duration
    ) async throws(DatabaseError) -> DatabaseConnection {
        let connection = DatabaseConnection(try ServerHandle(settings, on: loop), on: loop)
        do throws(DatabaseError) {
            try await connection.connect(by: deadline)
        } catch {
            await connection.close()
            throw error
        }
        return connection
    }

    private init(_ handle: ServerHandle, on loop: EpollLoop) {
        self.handle = handle
        self.loop = loop
    }

    private func connect(by deadline: Duration) async throws(DatabaseError) {
        guard let handle else { throw .unreachable("the connection was closed") }
        // PQconnectStart asks callers to wait until the socket is writable before the first poll.
        var mark = handle.ready.mark()
        try handle.watchAnew(for: .writable)
        repeat {
            switch await handle.ready.wait(since: mark, until: deadline) {
            case .signalled: break
            case .timedOut: throw .unreachable("the server did not answer in time")
            case .cancelled: throw .cancelled
            }
            guard self.handle != nil else { throw .unreachable("the connection was closed") }
            guard loop.now() < deadline else { throw .unreachable("the server did not answer in time") }
            mark = handle.ready.mark()
        } while try !handle.connectStep()
    }

    /// Closes the connection, which rolls back an open transaction. Further calls do nothing.
    public func close() {
        let ended = handle
        handle = nil
        ended?.unwatch()
        ended?.ready.signal()
    }

    public var isOpen: Bool { handle != nil }
    /// True if another caller may use the connection: no statement or transaction is open, and the server is connected.
    var isIdle: Bool { !isRunning && handle?.isIdle == true && handle?.stillStands() == true }
    var isInTransaction: Bool { handle?.isInTransaction == true }

    // MARK: Statements

    /// The parts of the transaction that are sent in one trip with a statement.
    struct Framing {
        /// The statement that begins the transaction.
        var begin: StaticString?
        /// True if COMMIT follows the statement.
        var commits = false

        var commands: Int { (begin == nil ? 1 : 2) + (commits ? 1 : 0) }
    }

    /// Runs one statement, in the open transaction if there is one, else in a transaction of its own.
    ///
    /// Only one statement runs at a time; a second one throws `busy`.
    public func run(
        _ statement: DatabaseStatement, _ values: [DatabaseValue] = [], by deadline: Duration
    ) async throws(DatabaseError) -> DatabaseResult {
        try await run(statement, values, in: Framing(), by: deadline)
    }

    func run(
        _ statement: DatabaseStatement, _ values: [DatabaseValue], in framing: Framing, by deadline: Duration
    ) async throws(DatabaseError) -> DatabaseResult {
        let packed = try StatementValues(values)
        let handle = try begin(by: deadline)
        defer { isRunning = false }
        let decides = framing.commits || framing.begin == nil && handle.isIdle
        let key = PreparedKey(statement: statement, types: packed.types)
        let name = try await prepare(key, by: deadline)
        let collector: ResultCollector
        if framing.commands == 1 {
            collector = try await exchange(ResultCollector(keepsRows: true), decides: decides, by: deadline) {
                pointer in
                packed.send(name, to: pointer) && PQsetSingleRowMode(pointer) == 1
            }
        } else {
            let empty = ResultCollector(keepsRows: true, pipelined: framing.commands)
            collector = try await exchange(empty, decides: decides, by: deadline) { pointer in
                Self.send(framing, to: pointer) { packed.send(name, to: pointer) }
            }
            guard collector.error != nil || !framing.commits || collector.tag == "COMMIT" else {
                throw .refused(sqlState: "25P02", message: "the server did not commit the transaction")
            }
        }
        if let error = collector.error {
            // The plan no longer fits a changed table, or the plan is gone. The next use prepares the statement again.
            if case .refused("0A000", _) = error { prepared[key] = nil }
            if case .refused("26000", _) = error { prepared[key] = nil }
            throw error
        }
        return collector.result
    }

    /// Sends a pipeline (PostgreSQL's manual, "Pipeline Mode"). The server skips all commands after an error.
    private static func send(_ framing: Framing, to pointer: OpaquePointer, _ statement: () -> Bool) -> Bool {
        func send(_ text: String) -> Bool { PQsendQueryParams(pointer, text, 0, nil, nil, nil, nil, 1) == 1 }
        guard PQenterPipelineMode(pointer) == 1 else { return false }
        if let begin = framing.begin {
            guard send("\(begin)"), statement() else { return false }
        } else {
            guard statement(), PQsetSingleRowMode(pointer) == 1 else { return false }
        }
        return (!framing.commits || send("COMMIT")) && PQpipelineSync(pointer) == 1
    }

    /// Runs SQL without values by the simple protocol and discards its rows. The text may hold several statements.
    ///
    /// - Parameter decides: True if a lost answer leaves the outcome unknown, as after COMMIT.
    /// - Returns: The tag of the last command that the server ran, such as "COMMIT".
    @discardableResult
    func command(_ text: String, decides: Bool, by deadline: Duration) async throws(DatabaseError) -> String {
        _ = try begin(by: deadline)
        defer { isRunning = false }
        guard !text.utf8.contains(0) else { throw .refused(sqlState: "42601", message: "SQL must not have a NUL byte") }
        let empty = ResultCollector(keepsRows: false)
        let collector = try await exchange(empty, decides: decides, by: deadline) { PQsendQuery($0, text) == 1 }
        if let error = collector.error { throw error }
        return collector.tag
    }

    /// Reserves the connection for one command, if the connection still works and the deadline has not passed.
    private func begin(by deadline: Duration) throws(DatabaseError) -> ServerHandle {
        guard !isRunning else { throw .busy }
        guard let handle else { throw .unreachable("the connection has ended") }
        guard !Task.isCancelled else { throw .cancelled }
        guard loop.now() < deadline else { throw .timedOut }
        guard handle.stillStands() else {
            close()
            throw .unreachable("the server has ended the connection")
        }
        isRunning = true
        return handle
    }

    private func prepare(_ key: PreparedKey, by deadline: Duration) async throws(DatabaseError) -> String {
        if let name = prepared[key] { return name }
        let isKept = prepared.count < Self.preparedLimit
        if isKept { lastPrepared += 1 }
        let name = isKept ? "s\(lastPrepared)" : ""
        let collector = try await exchange(ResultCollector(keepsRows: false), decides: false, by: deadline) { pointer in
            PQsendPrepare(pointer, name, key.statement.text, Int32(key.types.count), key.types) == 1
        }
        if let error = collector.error { throw error }
        if isKept { prepared[key] = name }
        return name
    }

    // MARK: Exchanges

    /// Sends commands and waits for the complete answer. If the exchange ends before that, the connection is closed.
    private func exchange(
        _ empty: ResultCollector, decides: Bool, by deadline: Duration, _ send: (OpaquePointer) -> Bool
    ) async throws(DatabaseError) -> ResultCollector {
        guard let first = handle else { throw .unreachable("the connection was closed") }
        guard send(first.pointer) else { throw end(decides, .unreachable(first.reason)) }
        var collector = empty
        while true {
            guard let handle else { throw end(decides, .unreachable("the connection was closed")) }
            let mark = handle.ready.mark()
            switch handle.step(&collector) {
            case .finished: return collector
            case .lost(let why):
                guard let known = collector.error, collector.lastWords == nil, collector.mustEnd else {
                    throw end(decides, .unreachable(why))
                }
                close()
                throw known
            case .more:
                guard !Task.isCancelled else { throw end(decides, .cancelled) }
                guard loop.now() < deadline else { throw end(decides, .timedOut) }
                // Gives other tasks on the loop a turn.
                await Task.yield()
            case .nothing: try await wait(handle, since: mark, decides, until: deadline)
            }
        }
    }

    private func wait(
        _ handle: ServerHandle, since mark: WaitPoint.Mark, _ decides: Bool, until deadline: Duration
    ) async throws(DatabaseError) {
        let look = handle.mayHideBytes ? min(deadline, loop.now() + Self.hiddenBytesPause) : deadline
        switch await handle.ready.wait(since: mark, until: look) {
        case .signalled: return
        case .timedOut where loop.now() < deadline: return
        case .timedOut: throw end(decides, .timedOut)
        case .cancelled: throw end(decides, .cancelled)
        }
    }

    /// Closes the connection, and returns the error that this means for the running command.
    private func end(_ decides: Bool, _ error: DatabaseError) -> DatabaseError {
        close()
        return decides ? .outcomeUnknown : error
    }
}
