import CSessionHelper
import DBus
import EventLoop
import Glibc

/// The helper of one session: performs Lock and Unlock, sets LockedHint (org.freedesktop.login1(5), "Session Objects").
actor SessionHelper {
    private static let logind = "org.freedesktop.login1"
    private static let sessionInterface = "org.freedesktop.login1.Session"
    /// The pause between the end of the bus connection and the next attempt.
    private static let busPause: Duration = .seconds(1)
    private static let properties = "org.freedesktop.DBus.Properties"

    nonisolated let loop: EpollLoop
    private let session: String
    private let options: SessionHelperArguments.Options
    private var path = ObjectPath.root
    private var connection: DBusConnection?
    private var agent: AgentLink?
    private var locker: (any Locker)?
    /// The last unhandled request of logind: true for Lock, false for Unlock.
    private var wish: Bool?
    private var isUnsettled = false
    /// True if the helper of a text console must leave: the session is graphical, or did not open on a console.
    private var isElsewhere = false
    private var isSettling = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(loop: EpollLoop, session: String, options: SessionHelperArguments.Options) {
        self.loop = loop
        self.session = session
        self.options = options
    }

    /// Helps until the session ends. Returns the exit status.
    func run() async -> Int32 {
        var link: Task<Void, Never>?
        defer { link?.cancel() }
        var leader = csession_keeps_leader()
        while true {
            do throws(DBusError) {
                let connection = try await DBusConnection.open(options.bus, on: loop)
                self.connection = connection
                leader = try await begin(connection)
                // Connects to the agent only now, because the agent replaces a session's helper with the newest one.
                if link == nil, !isElsewhere { link = beginLink() }
                // Leaves with the session's leader, because a helper that stayed would keep the session from ending.
                if await SessionEnd.wait(for: leader, or: connection, on: loop) == .leaderEnded { break }
            } catch {
                if leader != 0, !ProcessWatch.isRunning(leader) { break }
                // A locked session stays locked without the bus. The password still unlocks it.
                guard csession_keeps_locked() != 0 else {
                    SessionHelperMain.say(2, "boxagent-session: cannot serve session \(session): \(error)\n")
                    return SessionHelperMain.ExitCode.unavailable
                }
            }
            await connection?.close()
            // From now on, a desktop's locker or another helper sets the hint.
            if isElsewhere { return 0 }
            guard (try? await loop.sleep(until: loop.now() + Self.busPause)) != nil else { break }
        }
        await locker?.end()
        await setLockedHint(false)
        return 0
    }

    private func beginLink() -> Task<Void, Never> {
        let agent = AgentLink(loop: loop, socket: options.socket, session: session) { [weak self] text in
            await self?.locker?.show(text)
        }
        self.agent = agent
        return loop.spawn { await agent.run() }
    }

    /// Subscribes, then queries the session. Returns the process that leads it.
    private func begin(_ connection: DBusConnection) async throws(DBusError) -> Int32 {
        _ = try await connection.watchOwner(of: Self.logind) { _ in }
        guard let root = ObjectPath("/org/freedesktop/login1") else { throw .invalidArgument("logind's path") }
        let found = try await connection.call(
            MethodCall(to: Self.logind, root, "org.freedesktop.login1.Manager", "GetSession", [.string(session)]))
        guard let path = found.first?.path else { throw .unexpectedReply("logind gave no session") }
        self.path = path
        for member in ["Lock", "Unlock"] {
            let rule = SignalRule(
                sender: Self.logind, interface: Self.sessionInterface, member: member, pathNamespace: path)
            _ = try await connection.subscribe(rule) { [weak self] signal in
                guard let self else { return }
                self.loop.spawn { await self.asked(signal.member) }
            }
        }
        let changes = SignalRule(
            sender: Self.logind, interface: Self.properties, member: "PropertiesChanged", pathNamespace: path,
            firstArgument: Self.sessionInterface)
        _ = try await connection.subscribe(changes) { [weak self] signal in
            guard let self, signal.arguments.count == 3, let type = signal.arguments[1].dictionary?["Type"]?.text
            else { return }
            self.loop.spawn { await self.leave(type) }
        }
        let answer = try await connection.call(
            MethodCall(to: Self.logind, path, Self.properties, "GetAll", [.string(Self.sessionInterface)]))
        guard let values = answer.first?.dictionary, let leader = values["Leader"]?.integer else {
            throw .unexpectedReply("logind's reply lacks the session")
        }
        if let opener = options.opener, !ConsoleSession.isOpened(by: opener, values) {
            isElsewhere = true
            await connection.close()
            return Int32(clamping: leader)
        }
        // A lock needs the leader, and so does the next helper.
        csession_keep_leader(Int32(clamping: leader))
        if locker == nil {
            makeLocker(terminal: values["TTY"]?.text ?? "", user: values["Name"]?.text ?? "")
            // The previous helper was killed while the session was locked.
            if csession_keeps_locked() != 0, wish == nil { wish = true }
        }
        await leave(values["Type"]?.text ?? "")
        // Corrects the hint, which may be left from an earlier helper.
        if !isElsewhere { await settle() }
        return Int32(clamping: leader)
    }

    /// Leaves a graphical session. greetd and GDM open its PAM session on a terminal before its type is known.
    private func leave(_ type: String) async {
        guard options.locker.isEmpty, ["x11", "wayland", "mir"].contains(type) else { return }
        isElsewhere = true
        await locker?.unlock()
        await connection?.close()
    }

    private func makeLocker(terminal: String, user: String) {
        let changed: @Sendable () async -> Void = { [weak self] in await self?.settle() }
        if options.locker.isEmpty {
            locker = ConsoleLocker(
                loop: loop, terminal: terminal.hasPrefix("/") ? terminal : "/dev/" + terminal, user: user,
                takesOver: csession_keeps_locked() != 0, changed: changed)
        } else {
            locker = CommandLocker(loop: loop, words: options.locker, unlocked: changed)
        }
    }

    private func asked(_ member: String) async {
        wish = member == "Lock"
        await settle()
    }

    /// Performs requests one by one and sets the hint after each. In parallel, an older hint could come last.
    private func settle() async {
        isUnsettled = true
        guard let locker, !isSettling else { return }
        isSettling = true
        while isUnsettled {
            isUnsettled = false
            let wanted = wish
            wish = nil
            if wanted == true {
                csession_keep_locked(1)
                // A separate task, because the hint must not wait for an agent that does not read.
                if let reason = await locker.lock(), let agent { loop.spawn { await agent.refused(reason) } }
            }
            if wanted == false { await locker.unlock() }
            let isLocked = await locker.isLocked()
            csession_keep_locked(await locker.isHolding() ? 1 : 0)
            await setLockedHint(isLocked)
        }
        isSettling = false
    }

    private func setLockedHint(_ locked: Bool) async {
        _ = try? await connection?.call(
            MethodCall(to: Self.logind, path, Self.sessionInterface, "SetLockedHint", [.boolean(locked)]))
    }
}
