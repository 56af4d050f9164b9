import AgentCore
import DBus
import EventLoop

/// logind on the system bus: lists sessions, and locks, unlocks and ends them.
///
/// It follows logind through its restarts, which keep the sessions (systemd-logind.service(8)).
public actor Logind {
    /// The time limit from LockSession to LockedHint, and for UnlockSession. A locker takes a second or two.
    public static let confirmationLimit: Duration = .seconds(10)
    /// The time limit from TerminateSession to the session's end. After that, the remaining processes are killed.
    static let terminationLimit: Duration = .seconds(10)
    /// The time limit from the kill to the session's end.
    static let killLimit: Duration = .seconds(5)
    /// The pause before sessions that logind did not describe are read again.
    static let readPause: Duration = .seconds(1)

    nonisolated let loop: EpollLoop
    private let address: String
    private var follower: ServiceFollower?
    private var connection: DBusConnection?
    private var table = LogindTable()
    /// The number of times that all sessions were read from the start. Only the last one counts.
    private var beginnings: UInt64 = 0
    private var handler: (@Sendable (LogindEvent) -> Void)?
    /// The reason why logind is not available, or nil.
    public private(set) var absence: String? = "logind has not been asked yet"
    /// Sessions in which our helper handles Lock and Unlock.
    private var helped: Set<String> = []
    /// How often each session's helper has refused to lock, and its last reason.
    private var refusals: [String: (count: Int, reason: String)] = [:]
    private let changed: WaitPoint
    /// While this is open, the machine waits a moment before it sleeps (systemd-inhibit(1), mode "delay").
    private var sleepDelay: OwnedDescriptor?

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// - Parameter address: The D-Bus address of logind's bus.
    public init(loop: EpollLoop, address: String = DBusConnection.systemBusAddress) {
        self.loop = loop
        self.address = address
        changed = WaitPoint(on: loop)
    }

    public var sessions: [LogindSession] { Array(table.sessions.values) }

    public func session(_ id: String) -> LogindSession? { table.sessions[id] }

    /// Starts to follow logind. `handler` is called on the loop.
    public func start(_ handler: @escaping @Sendable (LogindEvent) -> Void) async {
        self.handler = handler
        let follower = ServiceFollower(of: Login1.followed, on: address, loop: loop) { [weak self] event in
            // SAFETY: the follower calls on the loop, which is this actor's executor.
            self?.assumeIsolated { $0.take(event) }
        }
        self.follower = follower
        await follower.start()
    }

    public func stop() async {
        handler = nil
        await follower?.stop()
        sleepDelay = nil
        changed.signal()
    }

    /// Records whether our helper in the session handles Lock and Unlock.
    public func setHelped(_ id: String, _ isHelped: Bool) {
        if isHelped { helped.insert(id) } else { helped.remove(id) }
        refusals[id] = nil
    }

    /// Records that the session's helper cannot lock the session now. Ignored if the session has no helper.
    public func refuseLock(_ id: String, reason: String) {
        guard helped.contains(id) else { return }
        refusals[id] = ((refusals[id]?.count ?? 0) + 1, reason)
        changed.signal()
    }

    /// Returns whether something in the session handles Lock. On a text terminal, only our helper can. A desktop
    /// usually has its own locker, so a graphical session counts as lockable.
    public func canLock(_ session: LogindSession) -> Bool {
        session.isGraphical || helped.contains(session.id)
    }

    /// Records that a configured command locked or unlocked the session. The recorded state holds until the locker's
    /// hint changes.
    public func setLocked(_ id: String, _ isLocked: Bool) {
        tell(table.setLocked(id, isLocked).map { [$0] } ?? [])
    }

    /// Lets the machine sleep, after `sleeping`.
    public func maySleep() {
        sleepDelay = nil
    }

    /// Queries the properties that logind does not signal, such as a console's idleness.
    public func refresh(_ id: String) async {
        guard let connection, let path = table.paths[id] else { return }
        await look(at: id, path, connection)
    }

    /// Queries the sessions of login screens again, even those that logind has not announced yet.
    public func lookAtScreens() async {
        guard let connection, let listed = await list(connection) else { return }
        for (id, path) in listed where table.sessions[id]?.drawsOnScreen ?? true {
            await look(at: id, path, connection)
        }
    }

    /// Queries the session of a process. Returns nil if logind says that the process is in no session.
    ///
    /// - Throws: An error if logind is not available, or if its reply is not valid.
    public func ownSession(ofProcess process: Int32) async throws(DBusError) -> LogindSession? {
        guard process > 0 else { throw .disconnected }
        return try await find("GetSessionByPID", .uint32(UInt32(process)), absent: Login1.noSessionOfProcess)
    }

    private func find(
        _ method: String, _ argument: DBusValue, absent: String
    ) async throws(DBusError) -> LogindSession? {
        guard let connection else { throw .disconnected }
        let path: ObjectPath?
        do throws(DBusError) {
            path = try await connection.call(manager(method, [argument])).first?.path
        } catch {
            guard error.replyName == absent else { throw error }
            return nil
        }
        guard let session = await session(at: path, connection) else { throw .disconnected }
        return session
    }

    /// Returns the session of a process, and whether the process is in the background. Desktops start programs through
    /// the user's service manager. Such a program counts as part of the user's session on a display, as for polkit, but
    /// always as in the background.
    public func caller(ofProcess process: Int32) async -> (session: LogindSession, isInBackground: Bool)? {
        do throws(DBusError) {
            // Newer versions give the service manager its own session.
            if let own = try await ownSession(ofProcess: process), !own.sessionClass.hasPrefix("manager") {
                return (own, false)
            }
        } catch {
            return nil
        }
        return await displaySession(ofUserOf: process).map { ($0, true) }
    }

    private func displaySession(ofUserOf process: Int32) async -> LogindSession? {
        guard process > 0, let connection else { return nil }
        let number = DBusValue.uint32(UInt32(process))
        guard let answer = try? await connection.call(manager("GetUserByPID", [number])), let user = answer.first?.path,
            let shown = try? await properties(of: Login1.user, user, connection)?["Display"]?.fields, shown.count == 2
        else { return nil }
        return await session(at: shown[1].path, connection)
    }

    private func session(at path: ObjectPath?, _ connection: DBusConnection) async -> LogindSession? {
        guard let path, let properties = try? await properties(of: Login1.session, path, connection),
            let id = properties["Id"]?.text
        else { return nil }
        var session = LogindSession(id: id)
        session.update(properties)
        if let known = table.sessions[id] { session.takeOver(from: known) }
        return session
    }

    /// Queries a session by its id, since logind may not have announced it yet.
    public func lookUp(_ id: String) async throws(DBusError) -> LogindSession? {
        try await find("GetSession", .string(id), absent: Login1.noSuchSession)
    }

    private func properties(
        of interface: String, _ path: ObjectPath, _ connection: DBusConnection
    ) async throws(DBusError) -> [String: DBusValue]? {
        let call = MethodCall(to: Login1.service, path, Login1.properties, "GetAll", [.string(interface)])
        return try await connection.call(call).first?.dictionary
    }

    // MARK: - Events of logind

    private func take(_ event: ServiceFollower.Event) {
        switch event {
        case .unavailable(let absence):
            connection = nil
            sleepDelay = nil
            let told = self.absence
            switch absence {
            case .noBus(let why): self.absence = "the system bus cannot be used: \(why)"
            case .noService: self.absence = "systemd-logind is not running"
            }
            // Reports each reason once, although the bus is tried often.
            if self.absence != told { handler?(.unavailable(self.absence ?? "")) }
            changed.signal()
        case .running(let connection, let state):
            self.connection = connection
            isUnread("logind's sessions are not read yet")
            loop.spawn { await self.begin(connection, LogindTable.listed(state.first)) }
        case .signal(let signal): take(signal)
        }
    }

    /// Reads all listed sessions. A session that logind does not describe, because it is slow, must not count as ended.
    private func begin(_ connection: DBusConnection, _ listed: [(id: String, path: ObjectPath)]) async {
        beginnings += 1
        let beginning = beginnings
        var listed = listed
        while true {
            tell(table.keepOnly(Set(listed.map(\.id))))
            var isComplete = true
            for (id, path) in listed {
                if await !look(at: id, path, connection) { isComplete = false }
            }
            guard self.connection === connection, beginning == beginnings else { return }
            if isComplete { break }
            isUnread("logind does not describe all of its sessions")
            guard (try? await loop.sleep(until: loop.now() + Self.readPause)) != nil else { return }
            listed = await list(connection) ?? listed
        }
        absence = nil
        await delaySleep(connection)
        tell([.available])
    }

    private func take(_ signal: BusSignal) {
        let arguments = signal.arguments
        switch signal.member {
        case "SessionNew":
            guard arguments.count == 2, let id = arguments[0].text, let path = arguments[1].path, let connection
            else { return }
            loop.spawn { await self.follow(id, path, connection) }
        case "SessionRemoved":
            guard arguments.count == 2, let id = arguments[0].text, let path = arguments[1].path else { return }
            tell([table.remove(id, path)])
        case "PrepareForShutdown": if let isBefore = arguments.first?.flag { tell([.shuttingDown(isBefore)]) }
        case "PrepareForSleep":
            guard let isBefore = arguments.first?.flag else { return }
            // If there is no sleep delay, the machine sleeps without waiting for `maySleep`.
            tell([isBefore ? .sleeping : .woke])
            if !isBefore, let connection { loop.spawn { await self.delaySleep(connection) } }
        case "PropertiesChanged":
            guard arguments.count == 3, let properties = arguments[1].dictionary else { return }
            tell(table.change(signal.path, properties).map { [$0] } ?? [])
        default: break
        }
    }

    /// Returns the sessions that logind lists, or nil if it does not reply.
    private func list(_ connection: DBusConnection) async -> [(id: String, path: ObjectPath)]? {
        try? await LogindTable.listed(connection.call(manager(Login1.listSessions, [])).first)
    }

    /// Queries a new session until logind describes it, or says that it has ended.
    private func follow(_ id: String, _ path: ObjectPath, _ connection: DBusConnection) async {
        while await !look(at: id, path, connection) {
            guard (try? await loop.sleep(until: loop.now() + Self.readPause)) != nil, self.connection === connection
            else { return }
        }
    }

    /// Queries all properties of a session. Returns false if logind did not reply, although the session lasts.
    @discardableResult
    private func look(at id: String, _ path: ObjectPath, _ connection: DBusConnection) async -> Bool {
        let look = table.beginLook(at: path)
        var found: [String: DBusValue]?
        var hasEnded = false
        do throws(DBusError) {
            found = try await properties(of: Login1.session, path, connection)
        } catch {
            hasEnded = error.replyName == Login1.unknownObject
        }
        let isSettled = found != nil || hasEnded || table.hasEnded(look)
        tell(table.endLook(look, id, self.connection === connection ? found : nil))
        return isSettled
    }

    private func isUnread(_ why: String) {
        guard absence != why else { return }
        absence = why
        tell([.unread(why)])
    }

    private func tell(_ events: [LogindEvent]) {
        for event in events { handler?(event) }
        changed.signal()
    }

    private func delaySleep(_ connection: DBusConnection) async {
        let answer = try? await connection.call(
            manager("Inhibit", [.string("sleep"), .string("boxagent"), .string("lock before sleep"), .string("delay")]))
        guard self.connection === connection else { return }
        sleepDelay = answer?.first?.ownedDescriptor
    }

    // MARK: - Operations on sessions

    /// Asks the session's locker to lock, and waits for its confirmation.
    public func lock(_ id: String) async -> SessionOutcome {
        guard let session = table.sessions[id] else { return Self.noSession(id) }
        guard connection != nil else { return noLogind }
        if session.lockedHint { return .done }
        guard canLock(session) else {
            let place = session.terminal.isEmpty ? "" : " on \(session.terminal)"
            return .cannot(reason: "session \(id)\(place) has no locker; boxagent-session can be one")
        }
        let refused = refusals[id]?.count ?? 0
        if let failure = await ask("LockSession", [.string(id)]) { return failure }
        let isAnswered = await wait(Self.confirmationLimit) { logind in
            logind.table.sessions[id]?.lockedHint ?? true || logind.refusals[id]?.count ?? 0 > refused
        }
        switch isAnswered {
        case true where table.sessions[id]?.lockedHint == true: return .done
        case true where table.sessions[id] != nil:
            return .cannot(reason: "the helper in session \(id) did not lock: \(refusals[id]?.reason ?? "")")
        case true: return .gone
        case false:
            return .failed(
                reason: "no locker of session \(id) confirmed the lock within \(Self.confirmationLimit)")
        }
    }

    /// Asks the session's locker to unlock, and waits for its confirmation.
    public func unlock(_ id: String) async -> SessionOutcome {
        guard let session = table.sessions[id] else { return Self.noSession(id) }
        if let failure = await ask("UnlockSession", [.string(id)]) { return failure }
        if session.lockedHint {
            guard await wait(Self.confirmationLimit, until: { $0.table.sessions[id]?.lockedHint != true }) else {
                return .failed(reason: "the locker of session \(id) did not unlock within \(Self.confirmationLimit)")
            }
            guard table.sessions[id] != nil else { return .gone }
        } else if session.isLocked {
            // logind cannot tell whether the locker that a command started has heard UnlockSession.
            return .cannot(reason: "sessions.lock_command locked session \(id), and sessions.unlock_command is not set")
        }
        return .done
    }

    /// Ends the session and waits until it is gone. Remaining processes are killed.
    public func terminate(_ id: String) async -> SessionOutcome {
        if table.sessions[id] == nil {
            // logind may have the session without having described it.
            guard let connection, let listed = await list(connection) else { return noLogind }
            guard let path = listed.first(where: { $0.id == id })?.path else { return .done }
            await look(at: id, path, connection)
            guard table.sessions[id] != nil else { return .failed(reason: "logind does not describe session \(id)") }
        }

        if let failure = await ask("TerminateSession", [.string(id)]) { return failure }
        if await wait(Self.terminationLimit, until: { $0.table.sessions[id] == nil }) { return .done }
        if let failure = await ask("KillSession", [.string(id), .string("all"), .int32(9)]) { return failure }
        guard await wait(Self.killLimit, until: { $0.table.sessions[id] == nil }) else {
            return .failed(reason: "session \(id) still exists although its processes were killed")
        }
        return .done
    }

    private var noLogind: SessionOutcome { .failed(reason: absence ?? "logind cannot be asked") }

    private static func noSession(_ id: String) -> SessionOutcome {
        .failed(reason: "logind does not know session \(id)")
    }

    private func ask(_ member: String, _ arguments: [DBusValue]) async -> SessionOutcome? {
        guard let connection else { return noLogind }
        do throws(DBusError) {
            _ = try await connection.call(manager(member, arguments))
            return nil
        } catch {
            switch error.replyName {
            // The session is already gone.
            case Login1.noSuchSession: return nil
            case Login1.accessDenied, Login1.interactiveAuthorization:
                return .cannot(reason: "logind does not allow boxagentd to do it; the polkit rule is missing: \(error)")
            default: return .failed(reason: "logind: \(error)")
            }
        }
    }

    private func manager(_ member: String, _ arguments: [DBusValue]) -> MethodCall {
        MethodCall(
            to: Login1.service, ObjectPath(Login1.managerPath) ?? .root, Login1.manager, member, arguments)
    }

    /// Waits until the condition holds. Returns false on timeout.
    private func wait(_ limit: Duration, until holds: (isolated Logind) -> Bool) async -> Bool {
        let end = loop.now() + limit
        while true {
            let mark = changed.mark()
            if holds(self) { return true }
            guard await changed.wait(since: mark, until: end) == .signalled else { return false }
        }
    }
}
