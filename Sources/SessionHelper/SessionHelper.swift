import CSessionHelper
import DBus
import EventLoop
import Glibc

/// One session's helper: Lock and Unlock of logind in, LockedHint out (org.freedesktop.login1(5), "Session Objects").
actor SessionHelper {
    private static let logind = "org.freedesktop.login1"
    private static let sessionInterface = "org.freedesktop.login1.Session"
    /// Between the end of the bus and the next try.
    private static let busPause: Duration = .seconds(1)
    private static let properties = "org.freedesktop.DBus.Properties"

    nonisolated let loop: EpollLoop
    private let session: String
    private let options: SessionHelperArguments.Options
    private var path = ObjectPath.root
    private var connection: DBusConnection?
    private var agent: AgentLink?
    private var locker: (any Locker)?
    /// What logind asked for last and nobody has begun: whether the session is to be locked.
    private var wish: Bool?
    private var isUnsettled = false
    /// The text console's helper has no business here: a graphical session on a console's terminal, or nothing that opened
    /// on a console.
    private var isElsewhere = false
    private var isSettling = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(loop: EpollLoop, session: String, options: SessionHelperArguments.Options) {
        self.loop = loop
        self.session = session
        self.options = options
    }

    /// Helps until the session ends; returns the exit status.
    func run() async -> Int32 {
        var link: Task<Void, Never>?
        defer { link?.cancel() }
        var leader = csession_keeps_leader()
        while true {
            do throws(DBusError) {
                let connection = try await DBusConnection.open(options.bus, on: loop)
                self.connection = connection
                leader = try await begin(connection)
                // Not before: at the agent the newest helper of a session takes the others' place.
                if link == nil, !isElsewhere { link = beginLink() }
                // A helper that stayed would keep its session from ending.
                if await SessionEnd.wait(for: leader, or: connection, on: loop) == .leaderEnded { break }
            } catch {
                if leader != 0, !ProcessWatch.isRunning(leader) { break }
                // What is locked stays locked, whatever becomes of the bus: the password still unlocks it.
                guard csession_keeps_locked() != 0 else {
                    SessionHelperMain.say(2, "boxagent-session: cannot serve session \(session): \(error)\n")
                    return SessionHelperMain.ExitCode.unavailable
                }
            }
            await connection?.close()
            // The hint is a desktop's locker's from now on, or another helper's.
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

    /// Subscribes, then asks what session this is. The process that leads it.
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
        // Whom a lock has to know, and the helper that comes after this one.
        csession_keep_leader(Int32(clamping: leader))
        if locker == nil {
            makeLocker(terminal: values["TTY"]?.text ?? "", user: values["Name"]?.text ?? "")
            // The helper before this one was killed while the session was locked.
            if csession_keeps_locked() != 0, wish == nil { wish = true }
        }
        await leave(values["Type"]?.text ?? "")
        // Of an earlier helper nothing may be left but the hint.
        if !isElsewhere { await settle() }
        return Int32(clamping: leader)
    }

    /// PAM opens a desktop's session on a terminal before anything in it says what it is (greetd, GDM).
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

    /// Carries out what was asked, one after the other, and says how it stands then: two at once, and the hint of the
    /// first could come after the second's.
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
                // Beside this: the hint does not wait for an agent that does not read.
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
