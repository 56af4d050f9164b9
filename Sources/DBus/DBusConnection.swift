import EventLoop

/// A connection to a message bus, on the event loop.
///
/// Everything runs on the loop's thread. Handlers are called there, in the order of the messages.
public actor DBusConnection {
    /// The most calls that may wait for replies.
    static let pendingCallsLimit = 256
    /// The number of queued bytes above which `emit` waits.
    static let outgoingBytesLimit = 262_144
    /// The rounds of reading in one turn, before other work on the loop gets its turn.
    static let turnRounds = 32
    /// The rounds without input in which libdbus may still write. After these rounds, the loop waits until the socket
    /// accepts more.
    static let quietRoundsLimit = 3

    public static let systemBusAddress = "unix:path=/run/dbus/system_bus_socket"
    static let bus = "org.freedesktop.DBus"

    public nonisolated let loop: EpollLoop
    private let handle: BusHandle
    private var watch: WatchToken?
    private var pending: [UInt32: PendingCall] = [:]
    private var subscriptions: [UInt64: Subscription] = [:]
    private var lastSubscription: UInt64 = 0
    /// The watched names, with their current owners.
    private var owners: [String: String?] = [:]
    /// The number of owner changes of each name since its first watch.
    private var ownerChanges: [String: UInt64] = [:]
    private var objects: [ExportedObjects] = []
    /// The unique name of this connection, such as ":1.42".
    private(set) var uniqueName = ""
    private var isOpen = true
    private let drained: WaitPoint
    private let ended: WaitPoint

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private struct PendingCall {
        let continuation: CheckedContinuation<Result<[DBusValue], DBusError>, Never>
        let timer: Task<Void, Never>
    }

    private struct Subscription {
        let rule: SignalRule
        let handler: @Sendable (BusSignal) -> Void
    }

    /// Identifies a subscription for `cancel`.
    public struct SubscriptionToken: Sendable, Hashable {
        let id: UInt64
    }

    /// Connects to the bus and registers with Hello.
    public static func open(
        _ address: String, on loop: EpollLoop, within limit: Duration = .seconds(5)
    ) async throws(DBusError) -> DBusConnection {
        let connection = DBusConnection(handle: try BusHandle(address: address), loop: loop)
        do throws(DBusError) {
            try await connection.start(within: limit)
        } catch {
            await connection.close()
            throw error
        }
        return connection
    }

    private init(handle: BusHandle, loop: EpollLoop) {
        self.handle = handle
        self.loop = loop
        drained = WaitPoint(on: loop)
        ended = WaitPoint(on: loop)
    }

    private func start(within limit: Duration) async throws(DBusError) {
        do {
            watch = try loop.watch(handle.descriptor, for: [.readable, .writable]) { [weak self] _ in
                // SAFETY: the loop calls on its own thread, which is this actor's executor.
                self?.assumeIsolated { $0.pump() }
            }
        } catch {
            throw .unreachable("\(error)")
        }
        guard let root = ObjectPath("/org/freedesktop/DBus") else { throw .invalidArgument("the bus's path") }
        let answer = try await call(MethodCall(to: Self.bus, root, Self.bus, "Hello"), timeout: limit)
        guard let name = answer.first?.text else { throw .unexpectedReply("the bus gave no name") }
        handle.setUniqueName(name)
        uniqueName = name
    }

    /// Closes the connection. Pending calls fail with `disconnected`. It is safe to call this again.
    public func close() {
        guard isOpen else { return }
        isOpen = false
        if let watch { loop.unwatch(watch) }
        watch = nil
        let waiting = pending
        pending = [:]
        for call in waiting.values {
            call.timer.cancel()
            call.continuation.resume(returning: .failure(.disconnected))
        }
        subscriptions = [:]
        objects = []
        handle.close()
        drained.signal()
        ended.signal()
    }

    /// Returns when the connection has ended or the task is cancelled.
    public func waitUntilEnded() async {
        while isOpen {
            let mark = ended.mark()
            guard await ended.wait(since: mark) == .signalled else { return }
        }
    }

    // MARK: - Calls

    /// Calls a method and returns the values of its reply.
    public func call(
        _ call: MethodCall, timeout: Duration = .seconds(10)
    ) async throws(DBusError) -> [DBusValue] {
        guard isOpen else { throw .disconnected }
        guard pending.count < Self.pendingCallsLimit else { throw .queueFull }
        let serial = try OutgoingMessage.withCall(call, wantsReply: true) { (message) throws(DBusError) in
            try handle.send(message)
        }
        let deadline = loop.now() + timeout
        let result: Result<[DBusValue], DBusError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled { return continuation.resume(returning: .failure(.cancelled)) }
                let timer = loop.spawn { [weak self, loop] in
                    guard (try? await loop.sleep(until: deadline)) != nil else { return }
                    await self?.finish(serial, .failure(.timedOut))
                }
                pending[serial] = PendingCall(continuation: continuation, timer: timer)
            }
        } onCancel: {
            loop.spawn { await self.finish(serial, .failure(.cancelled)) }
        }
        return try result.get()
    }

    /// Calls a method without a reply. Waits while too many bytes are queued.
    public func send(_ call: MethodCall) async throws(DBusError) {
        try await room()
        _ = try OutgoingMessage.withCall(call, wantsReply: false) { (message) throws(DBusError) in
            try handle.send(message)
        }
    }

    private func finish(_ serial: UInt32, _ result: Result<[DBusValue], DBusError>) {
        guard let call = pending.removeValue(forKey: serial) else { return }
        call.timer.cancel()
        call.continuation.resume(returning: result)
    }

    // MARK: - Signals

    /// Emits a signal. Waits while too many bytes are queued.
    public func emit(
        _ path: ObjectPath, _ interface: String, _ member: String, _ arguments: [DBusValue]
    ) async throws(DBusError) {
        try await room()
        _ = try OutgoingMessage.withSignal(path, interface, member, arguments) { (message) throws(DBusError) in
            try handle.send(message)
        }
    }

    /// Announces that properties of an exported object changed or were removed.
    public func emitChange(
        _ path: ObjectPath, _ interface: String, _ properties: [(String, DBusValue)], invalidated: [String] = []
    ) async throws(DBusError) {
        try await emit(
            path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
            [.string(interface), .properties(properties), .strings(invalidated)])
    }

    private func room() async throws(DBusError) {
        while isOpen, handle.outgoingBytes > Self.outgoingBytesLimit {
            let mark = drained.mark()
            guard await drained.wait(since: mark) == .signalled else { throw .cancelled }
        }
        guard isOpen else { throw .disconnected }
    }

    /// Calls `handler` for each matching signal. The rule's sender must be a unique name, or one that `watchOwner`
    /// watches. Any program may send a signal to another, so each sender is compared with the name's owner.
    public func subscribe(
        _ rule: SignalRule, handler: @escaping @Sendable (BusSignal) -> Void
    ) async throws(DBusError) -> SubscriptionToken {
        lastSubscription += 1
        let token = SubscriptionToken(id: lastSubscription)
        subscriptions[token.id] = Subscription(rule: rule, handler: handler)
        do throws(DBusError) {
            try await match("AddMatch", rule)
        } catch {
            subscriptions[token.id] = nil
            throw error
        }
        return token
    }

    public func cancel(_ token: SubscriptionToken) async {
        guard let gone = subscriptions.removeValue(forKey: token.id) else { return }
        try? await match("RemoveMatch", gone.rule)
    }

    private func match(_ member: String, _ rule: SignalRule) async throws(DBusError) {
        guard !rule.text.utf8.contains(0), let root = ObjectPath("/org/freedesktop/DBus") else {
            throw .invalidArgument("that rule")
        }
        _ = try await call(MethodCall(to: Self.bus, root, Self.bus, member, [.string(rule.text)]))
    }

    /// Calls `handler` with the unique name of a name's owner, or nil if there is no owner: now and at each change.
    public func watchOwner(
        of name: String, handler: @escaping @Sendable (String?) -> Void
    ) async throws(DBusError) -> SubscriptionToken {
        let rule = SignalRule(sender: Self.bus, interface: Self.bus, member: "NameOwnerChanged", firstArgument: name)
        let token = try await subscribe(rule) { signal in
            let owner = signal.arguments.count == 3 ? signal.arguments[2].text ?? "" : ""
            handler(owner.isEmpty ? nil : owner)
        }
        guard let root = ObjectPath("/org/freedesktop/DBus") else { throw .invalidArgument("the bus's path") }
        // From here on, signals set the owner. The reply to the call is handled one turn of the loop after its arrival,
        // so a signal that arrives right after the reply is handled before it.
        if owners[name] == nil { owners[name] = .some(nil) }
        let changes = ownerChanges[name]
        var owner: String?
        do throws(DBusError) {
            owner = try await call(MethodCall(to: Self.bus, root, Self.bus, "GetNameOwner", [.string(name)])).first?
                .text
        } catch {
            guard error.replyName == "org.freedesktop.DBus.Error.NameHasNoOwner" else {
                await cancel(token)
                throw error
            }
        }
        guard ownerChanges[name] == changes else { return token }
        owners[name] = .some(owner)
        handler(owner)
        return token
    }

    // MARK: - Exported objects

    /// Exports objects to one program, by a name that `watchOwner` watches. Calls of other programs are refused.
    public func export(_ path: ObjectPath, to caller: String, _ interfaces: [ExportedInterface]) {
        if let index = objects.firstIndex(where: { $0.caller == caller }) {
            objects[index].add(path, interfaces)
        } else {
            var made = ExportedObjects(caller: caller)
            made.add(path, interfaces)
            objects.append(made)
        }
    }

    public func unexport(_ path: ObjectPath) {
        for index in objects.indices { objects[index].remove(path) }
    }

    /// Answers a call whose handler returned `later`.
    public func reply(to invocation: Invocation, _ reply: MethodReply) {
        answer(invocation.sender, invocation.serial, reply)
    }

    private func answer(_ sender: String, _ serial: UInt32, _ reply: MethodReply) {
        // If the reply cannot be sent, the caller's own time limit ends its call.
        _ = try? OutgoingMessage.withReply(reply, to: sender, serial: serial) { (message) throws(DBusError) in
            try handle.send(message)
        }
    }

    // MARK: - Work

    private func pump() {
        var quietRounds = 0
        for _ in 0..<Self.turnRounds {
            guard isOpen else { return }
            let alive = handle.readAndWrite()
            while isOpen, let message = handle.next() { take(message) }
            guard alive else { return close() }
            guard !handle.isReadable else { continue }
            quietRounds += 1
            // Input may make libdbus write: authentication steps, and messages that waited for the end of
            // authentication.
            guard handle.wantsToWrite, quietRounds < Self.quietRoundsLimit else { return drainedNow() }
        }
        drainedNow()
        loop.post { [weak self] in
            // SAFETY: the loop calls on its own thread, which is this actor's executor.
            self?.assumeIsolated { $0.pump() }
        }
    }

    private func drainedNow() {
        if handle.outgoingBytes <= Self.outgoingBytesLimit { drained.signal() }
    }

    private func take(_ message: IncomingMessage) {
        switch message.kind {
        case .reply: finish(message.replySerial, message.arguments)
        case .error: finish(message.replySerial, .failure(message.error))
        case .signal: deliver(message)
        case .call:
            let reply = answer(to: message)
            if case .later = reply { return }
            if message.wantsReply { answer(message.sender, message.serial, reply) }
        }
    }

    private func deliver(_ message: IncomingMessage) {
        guard let path = message.path, case .success(let arguments) = message.arguments else { return }
        let signal = BusSignal(
            sender: message.sender, path: path, interface: message.interface, member: message.member,
            arguments: arguments)
        if signal.sender == Self.bus, signal.interface == Self.bus, signal.member == "NameOwnerChanged",
            arguments.count == 3, let name = arguments[0].text, owners[name] != nil
        {
            let owner = arguments[2].text ?? ""
            owners[name] = .some(owner.isEmpty ? nil : owner)
            ownerChanges[name, default: 0] += 1
        }
        // In the order of subscription, so that a change of owner comes before signals of the new owner.
        for (_, subscription) in subscriptions.sorted(by: { $0.key < $1.key })
        where subscription.rule.matches(signal) && isFrom(subscription.rule.sender, signal.sender) {
            subscription.handler(signal)
        }
    }

    private func isFrom(_ name: String, _ sender: String) -> Bool {
        name == sender || owners[name] == .some(.some(sender))
    }

    private func answer(to call: IncomingMessage) -> MethodReply {
        if call.interface == "org.freedesktop.DBus.Peer" {
            return call.member == "Ping" ? .done : MethodReply.unknownMethod
        }
        guard let offered = objects.first(where: { isFrom($0.caller, call.sender) }) else {
            return .error("org.freedesktop.DBus.Error.AccessDenied", "these objects are for another program")
        }
        return offered.answer(call)
    }
}
