import DBus
import EventLoop

/// What happens at bluetoothd, in order.
enum BlueZEvent: Sendable {
    /// No bus, or no bluetoothd on it: whatever was registered there is gone.
    case unavailable(BlueZAbsence)
    /// bluetoothd is there, with these objects.
    case running(DBusConnection, BlueZObjects)
    case added(ObjectPath, DBusValue)
    case removed(ObjectPath, interfaces: [String])
    case changed(ObjectPath, interface: String, [String: DBusValue], invalidated: [String])
}

enum BlueZAbsence: Sendable, Hashable {
    case noBus(String)
    case noService
}

/// The connection to bluetoothd: opened again when the bus ends, and followed through bluetoothd's restarts.
actor BlueZService {
    /// Between two tries to reach the bus; each doubles, up to the longest.
    static let firstPause: Duration = .milliseconds(100)
    static let longestPause: Duration = .seconds(2)
    /// Between two questions for bluetoothd's objects.
    static let askPause: Duration = .milliseconds(500)

    private let loop: EpollLoop
    private let address: String
    private let handler: @Sendable (BlueZEvent) -> Void
    private var owner: String?
    private var connection: DBusConnection?
    /// Events that wait for the snapshot that comes before them; nil when none is awaited.
    private var held: [BlueZEvent]?
    private var isSubscribed = false
    private var running: Task<Void, Never>?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// `handler` is called on the loop.
    init(loop: EpollLoop, address: String, handler: @escaping @Sendable (BlueZEvent) -> Void) {
        self.loop = loop
        self.address = address
        self.handler = handler
    }

    func start() {
        guard running == nil else { return }
        running = loop.spawn { await self.run() }
    }

    func stop() async {
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
            guard (try? await loop.sleep(until: loop.now() + pause)) != nil else { return }
            pause = min(pause * 2, Self.longestPause)
        }
    }

    private func follow(_ connection: DBusConnection) async throws(DBusError) {
        isSubscribed = false
        _ = try await connection.watchOwner(of: BlueZ.service) { [weak self] owner in
            // SAFETY: the connection calls on the loop, which is this actor's executor.
            self?.assumeIsolated { $0.ownerChanged(to: owner, connection) }
        }
        for member in ["InterfacesAdded", "InterfacesRemoved"] {
            try await subscribe(
                connection, SignalRule(sender: BlueZ.service, interface: BlueZ.objectManager, member: member))
        }
        for interface in [BlueZ.adapter, BlueZ.advertisingManager, BlueZ.device, BlueZ.characteristic] {
            try await subscribe(
                connection,
                SignalRule(
                    sender: BlueZ.service, interface: BlueZ.properties, member: "PropertiesChanged",
                    pathNamespace: ObjectPath(BlueZ.bluezPath), firstArgument: interface))
        }
        isSubscribed = true
        if owner != nil { askForSnapshot(connection) }
    }

    private func subscribe(_ connection: DBusConnection, _ rule: SignalRule) async throws(DBusError) {
        _ = try await connection.subscribe(rule) { [weak self] signal in
            // SAFETY: the connection calls on the loop, which is this actor's executor.
            self?.assumeIsolated { $0.take(signal) }
        }
    }

    private func ownerChanged(to new: String?, _ connection: DBusConnection) {
        owner = new
        held = nil
        guard new != nil else { return handler(.unavailable(.noService)) }
        held = []
        if isSubscribed { askForSnapshot(connection) }
    }

    /// Not before every signal is subscribed to: what changed between the answer and the subscription would never be
    /// heard of.
    private func askForSnapshot(_ connection: DBusConnection) {
        let asked = owner
        loop.spawn { await self.takeSnapshot(of: asked, connection) }
    }

    /// Signals that come before the answer are replayed after it: the last of each property is then the one that counts,
    /// whether bluetoothd sent it before or after it answered.
    private func takeSnapshot(of asked: String?, _ connection: DBusConnection) async {
        while owner == asked, asked != nil {
            let call = MethodCall(to: BlueZ.service, BlueZ.root, BlueZ.objectManager, "GetManagedObjects")
            do throws(DBusError) {
                let answer = try await connection.call(call, timeout: .seconds(5))
                guard owner == asked, let events = held else { return }
                held = nil
                handler(.running(connection, BlueZObjects(managed: answer.first)))
                for event in events { handler(event) }
                return
            } catch {
                guard error != .disconnected, error != .cancelled else { return }
                guard (try? await loop.sleep(until: loop.now() + Self.askPause)) != nil else { return }
            }
        }
    }

    private func take(_ signal: BusSignal) {
        guard let event = Self.event(signal) else { return }
        if held != nil {
            guard (held?.count ?? 0) < BlueZObjects.objectLimit else { return }
            held?.append(event)
        } else if owner != nil {
            handler(event)
        }
    }

    /// Nil for a signal whose arguments have another type than they should.
    private static func event(_ signal: BusSignal) -> BlueZEvent? {
        let arguments = signal.arguments
        switch signal.member {
        case "InterfacesAdded":
            guard arguments.count == 2, let path = arguments[0].path else { return nil }
            return .added(path, arguments[1])
        case "InterfacesRemoved":
            guard arguments.count == 2, let path = arguments[0].path else { return nil }
            return .removed(path, interfaces: (arguments[1].elements ?? []).compactMap(\.text))
        case "PropertiesChanged":
            guard arguments.count == 3, let interface = arguments[0].text, let changed = arguments[1].dictionary
            else { return nil }
            let invalidated = (arguments[2].elements ?? []).compactMap(\.text)
            return .changed(signal.path, interface: interface, changed, invalidated: invalidated)
        default: return nil
        }
    }
}
