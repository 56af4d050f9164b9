import EventLoop

/// Follows a service on a bus by its well-known name. Reconnects when the bus connection ends, and finds the service
/// again when it restarts.
///
/// Each time the service appears, one call gets its state, but only after all signals are subscribed. Otherwise a
/// change between the reply and a later subscription would be missed.
public actor ServiceFollower {
    public enum Event: Sendable {
        /// The bus or the service is absent. Earlier facts about the service are no longer valid.
        case unavailable(ServiceAbsence)
        /// The service is running, with its reply to the call for its state.
        case running(DBusConnection, state: [DBusValue])
        /// A signal of the service, after `running`.
        case signal(BusSignal)
    }

    /// The description of the service to follow.
    public struct Service: Sendable {
        /// The well-known name.
        public let name: String
        /// The signals to pass on. Their sender is the service.
        public let signals: [SignalRule]
        /// The call whose reply is the service's state.
        public let state: MethodCall
        /// The longest pause between two attempts to reach the bus. The first pause is short, and each further pause is
        /// twice as long.
        public let longestPause: Duration

        public init(
            _ name: String, signals: [SignalRule], state: MethodCall, longestPause: Duration = .seconds(2)
        ) {
            self.name = name
            self.signals = signals
            self.state = state
            self.longestPause = longestPause
        }
    }

    /// The pause between the first two attempts to reach the bus.
    static let firstPause: Duration = .milliseconds(100)
    /// The pause between two calls for the service's state.
    static let askPause: Duration = .milliseconds(500)
    /// The most signals kept until the state has arrived. Further ones are dropped.
    static let heldSignalsLimit = 4_096

    private let loop: EpollLoop
    private let address: String
    private let service: Service
    private let handler: @Sendable (Event) -> Void
    private var owner: String?
    private var connection: DBusConnection?
    /// The signals that wait for the state. Nil if no state is expected.
    private var held: [BusSignal]?
    private var isSubscribed = false
    private var running: Task<Void, Never>?

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// `handler` is called on the loop.
    public init(
        of service: Service, on address: String, loop: EpollLoop, handler: @escaping @Sendable (Event) -> Void
    ) {
        self.loop = loop
        self.address = address
        self.service = service
        self.handler = handler
    }

    public func start() {
        guard running == nil else { return }
        running = loop.spawn { await self.run() }
    }

    public func stop() async {
        running?.cancel()
        await connection?.close()
        connection = nil
    }

    private func run() async {
        var pause = Self.firstPause
        while !Task.isCancelled {
            do throws(DBusError) {
                let opened = try await DBusConnection.open(address, on: loop)
                connection = opened
                try await follow(opened)
                pause = Self.firstPause
                await opened.waitUntilEnded()
                handler(.unavailable(.noBus("the connection has ended")))
            } catch {
                handler(.unavailable(.noBus("\(error)")))
            }
            await connection?.close()
            connection = nil
            owner = nil
            await waitForSocket()
            guard (try? await loop.sleep(until: loop.now() + pause)) != nil else { return }
            pause = min(pause * 2, service.longestPause)
        }
    }

    /// Waits until the bus socket exists, so that nothing is tried and nothing wakes up before.
    private func waitForSocket() async {
        guard let path = BusAddress.socketPath(address) else { return }
        while !Task.isCancelled {
            // The watch starts before the check, so that a socket created right after it is not missed.
            guard let watch = PathWatch(above: path, on: loop), !PathWatch.exists(path) else { return }
            await watch.wait()
        }
    }

    private func follow(_ connection: DBusConnection) async throws(DBusError) {
        isSubscribed = false
        _ = try await connection.watchOwner(of: service.name) { [weak self] owner in
            // SAFETY: the connection calls on the loop, which is this actor's executor.
            self?.assumeIsolated { $0.ownerChanged(to: owner, connection) }
        }
        for rule in service.signals {
            _ = try await connection.subscribe(rule) { [weak self] signal in
                // SAFETY: as above.
                self?.assumeIsolated { $0.take(signal) }
            }
        }
        isSubscribed = true
        if owner != nil { askForState(connection) }
    }

    private func ownerChanged(to new: String?, _ connection: DBusConnection) {
        owner = new
        held = nil
        guard new != nil else { return handler(.unavailable(.noService)) }
        held = []
        if isSubscribed { askForState(connection) }
    }

    private func askForState(_ connection: DBusConnection) {
        let asked = owner
        loop.spawn { await self.takeState(of: asked, connection) }
    }

    /// Handles the reply first and then the held signals. So each property gets the value of its last signal, whether
    /// that was sent before or after the reply.
    private func takeState(of asked: String?, _ connection: DBusConnection) async {
        while owner == asked, asked != nil {
            do throws(DBusError) {
                let answer = try await connection.call(service.state, timeout: .seconds(5))
                guard owner == asked, let signals = held else { return }
                held = nil
                handler(.running(connection, state: answer))
                for signal in signals { handler(.signal(signal)) }
                return
            } catch {
                guard error != .disconnected, error != .cancelled else { return }
                guard (try? await loop.sleep(until: loop.now() + Self.askPause)) != nil else { return }
            }
        }
    }

    private func take(_ signal: BusSignal) {
        if let count = held?.count {
            if count < Self.heldSignalsLimit { held?.append(signal) }
        } else if owner != nil {
            handler(.signal(signal))
        }
    }
}

/// The reason why a service is absent.
public enum ServiceAbsence: Sendable, Hashable {
    /// The bus cannot be used, for the given reason.
    case noBus(String)
    case noService
}
