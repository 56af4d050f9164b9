import DBus
import EventLoop

/// The events of bluetoothd, in order.
enum BlueZEvent: Sendable {
    /// The bus or bluetoothd is absent, and all registrations are lost.
    case unavailable(ServiceAbsence)
    /// bluetoothd is running, with these objects.
    case running(DBusConnection, BlueZObjects)
    case added(ObjectPath, DBusValue)
    case removed(ObjectPath, interfaces: [String])
    case changed(ObjectPath, interface: String, [String: DBusValue], invalidated: [String])
}

/// Follows bluetoothd through its restarts.
struct BlueZService: Sendable {
    private let follower: ServiceFollower

    /// `handler` is called on the loop.
    init(loop: EpollLoop, address: String, handler: @escaping @Sendable (BlueZEvent) -> Void) {
        follower = ServiceFollower(of: Self.followed, on: address, loop: loop) { event in
            switch event {
            case .unavailable(let absence): handler(.unavailable(absence))
            case .running(let connection, let state):
                handler(.running(connection, BlueZObjects(managed: state.first)))
            case .signal(let signal):
                if let event = Self.event(signal) { handler(event) }
            }
        }
    }

    func start() async { await follower.start() }

    func stop() async { await follower.stop() }

    private static var followed: ServiceFollower.Service {
        let objects = ["InterfacesAdded", "InterfacesRemoved"].map {
            SignalRule(sender: BlueZ.service, interface: BlueZ.objectManager, member: $0)
        }
        let changes = [BlueZ.adapter, BlueZ.advertisingManager, BlueZ.device, BlueZ.characteristic].map {
            SignalRule(
                sender: BlueZ.service, interface: BlueZ.properties, member: "PropertiesChanged",
                pathNamespace: ObjectPath(BlueZ.bluezPath), firstArgument: $0)
        }
        return ServiceFollower.Service(
            BlueZ.service, signals: objects + changes,
            state: MethodCall(to: BlueZ.service, BlueZ.root, BlueZ.objectManager, "GetManagedObjects"))
    }

    /// Returns nil for a signal whose arguments have the wrong type.
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
