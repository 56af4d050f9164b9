import DBus
import EventLoop
import GATTProfile
import Links
import Transport

/// A phone's radio through BlueZ: scans and connects by bluetoothd.
public actor BlueZCentral: CentralRadio {
    /// bluetoothd's own time limit is too long for a waiting user.
    static let connectLimit: Duration = .seconds(10)
    /// bluetoothd's timer of two seconds (device.c, DISCONNECT_TIMER), with a margin for the disconnection itself.
    static let disconnectLimit: Duration = .milliseconds(2_500)
    /// The pause from a disconnection to the next connection. bluetoothd reports a disconnection when the kernel does,
    /// but cleans up a little later, when its socket closes. If another connection starts in between, bluetoothd
    /// silently shuts its socket, and no further connection works (5.66, src/device.c, attio_cleanup).
    static let settlingTime: Duration = .milliseconds(250)
    /// The most queries for a device's properties if they change during each query.
    static let refreshes = 5
    /// The time limit for finding bluetoothd on the bus.
    static let serviceLimit: Duration = .seconds(3)

    static let connectionProperties: Set<String> = ["Connected", "ServicesResolved"]

    nonisolated let loop: EpollLoop
    private let bus: String
    private let adapterName: String
    private let preference: BearerPreference
    private let changed: WaitPoint
    private var service: BlueZService?
    private var objects = BlueZObjects()
    private var connection: DBusConnection?
    private var absence: ServiceAbsence?
    private var listeners: [ObjectPath: @Sendable ([UInt8]) -> Void] = [:]
    private var lastDisconnection: Duration?
    /// Counts bluetoothd's signals about connections.
    private var updates: UInt64 = 0

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - bus: The D-Bus address of bluetoothd's bus.
    ///   - adapter: A name such as "hci0". If empty, any adapter is used.
    ///   - preference: The bearer that the user prefers.
    public init(
        loop: EpollLoop, bus: String = DBusConnection.systemBusAddress, adapter: String = "",
        preference: BearerPreference = .automatic
    ) {
        self.loop = loop
        self.bus = bus
        adapterName = adapter
        self.preference = preference
        changed = WaitPoint(on: loop)
    }

    // MARK: - Scanning

    public func scan(
        for duration: Duration, found: @escaping @Sendable (Advertisement) async -> Bool
    ) async throws(LinkError) {
        let (connection, adapter) = try await usableAdapter()
        let end = loop.now() + duration
        do throws(DBusError) {
            let filter: [(String, DBusValue)] = [
                ("UUIDs", .strings([GATTService.uuid])), ("Transport", .string("le")),
                ("DuplicateData", .boolean(true)),
            ]
            _ = try await connection.call(
                MethodCall(to: BlueZ.service, adapter.path, BlueZ.adapter, "SetDiscoveryFilter", [.properties(filter)]))
            _ = try await connection.call(
                MethodCall(to: BlueZ.service, adapter.path, BlueZ.adapter, "StartDiscovery"))
        } catch {
            guard error.replyName == "org.bluez.Error.InProgress" else { throw linkError(error, "search for boxes") }
        }
        var result: LinkError?
        do throws(LinkError) {
            try await report(boxesOn: adapter, until: end, found)
        } catch {
            result = error
        }
        // Stops the search even after a cancellation, because it takes air time from every connection.
        try? await connection.send(MethodCall(to: BlueZ.service, adapter.path, BlueZ.adapter, "StopDiscovery"))
        if let result { throw result }
    }

    private func report(
        boxesOn adapter: Adapter, until end: Duration, _ found: @escaping @Sendable (Advertisement) async -> Bool
    ) async throws(LinkError) {
        var told: Set<ObjectPath> = []
        var forgotten: Set<ObjectPath> = []
        while true {
            let mark = changed.mark()
            guard absence == nil else { throw .radio(fault(adapter: nil).description) }
            for path in objects.paths(with: BlueZ.device) where adapter.path.contains(path) && !told.contains(path) {
                if isStale(path), !forgotten.contains(path) {
                    forgotten.insert(path)
                    try? await connection?.send(
                        MethodCall(to: BlueZ.service, adapter.path, BlueZ.adapter, "RemoveDevice", [.objectPath(path)]))
                }
                guard let box = advertisement(of: path) else { continue }
                told.insert(path)
                if await found(box) { return }
            }
            switch await changed.wait(since: mark, until: end) {
            case .signalled: continue
            case .timedOut: return
            case .cancelled: throw .cancelled
            }
        }
    }

    /// Returns nil for a device that is not a box, or whose name is still unknown. Also returns nil for a device that
    /// this search has not heard: bluetoothd then has no RSSI for it.
    private func advertisement(of path: ObjectPath) -> Advertisement? {
        guard let device = objects[path, BlueZ.device], let rssi = device["RSSI"]?.integer,
            let name = device["Name"]?.text,
            (device["UUIDs"]?.elements ?? []).contains(where: { $0.text == GATTService.uuid })
        else { return nil }
        return Advertisement(name: Array(name.utf8), address: path.text, rssi: (-127...20).contains(rssi) ? rssi : nil)
    }

    /// Returns whether a box lost its service while we were connected, because its agent restarted. bluetoothd removed
    /// the service's UUID and does not restore it, although the box advertises it (5.66, src/device.c,
    /// gatt_service_removed). After the device is removed, bluetoothd finds the box again.
    private func isStale(_ path: ObjectPath) -> Bool {
        guard let device = objects[path, BlueZ.device], device["RSSI"]?.integer != nil,
            let name = device["Name"]?.text, device["Paired"]?.flag != true, device["Connected"]?.flag != true
        else { return false }
        return Advertisement(name: Array(name.utf8), address: path.text, rssi: nil).boxID != nil
            && !(device["UUIDs"]?.elements ?? []).contains(where: { $0.text == GATTService.uuid })
    }

    // MARK: - Connecting

    public func connect(to address: String) async throws(LinkError) -> any CentralLink {
        guard let path = ObjectPath(address) else { throw .notFound }
        let (connection, adapter) = try await usableAdapter()
        guard adapter.path.contains(path), objects[path, BlueZ.device] != nil else { throw .notFound }
        let wasConnected = await staysConnected(path)
        if let lastDisconnection { try? await loop.sleep(until: lastDisconnection + Self.settlingTime) }
        let link = BlueZCentralLink(
            loop: loop, connection: connection, central: self, device: path, endsConnection: !wasConnected,
            preference: preference)
        do throws(LinkError) {
            try await bringUp(path, on: connection)
            try await link.prepare(try await characteristics(of: path))
            return link
        } catch {
            await link.close()
            throw error
        }
    }

    /// Returns whether an existing connection belongs to another program. Otherwise bluetoothd ends the connection
    /// within two seconds, even if a link joins it meanwhile.
    private func staysConnected(_ device: ObjectPath) async -> Bool {
        guard isConnected(device) else { return false }
        let end = loop.now() + Self.disconnectLimit
        while isConnected(device) {
            let mark = changed.mark()
            guard isConnected(device) else { break }
            guard await changed.wait(since: mark, until: end) == .signalled else { return isConnected(device) }
        }
        return false
    }

    private func bringUp(_ path: ObjectPath, on connection: DBusConnection) async throws(LinkError) {
        let deadline = loop.now() + Self.connectLimit
        do throws(DBusError) {
            _ = try await connection.call(
                MethodCall(to: BlueZ.service, path, BlueZ.device, "Connect"), timeout: Self.connectLimit)
        } catch  where BlueZ.isHarmless(error) {
        } catch {
            throw linkError(error, "connect to the box")
        }
        try await refresh(path, on: connection)
        while !isUsable(path) {
            let mark = changed.mark()
            guard connectionIsCurrent(connection) else { throw .radio(fault(adapter: nil).description) }
            guard objects[path, BlueZ.device] != nil else { throw .notFound }
            if isUsable(path) { break }
            switch await changed.wait(since: mark, until: deadline) {
            case .signalled: continue
            case .timedOut: throw .timedOut
            case .cancelled: throw .cancelled
            }
        }
    }

    /// Queries the device's properties. bluetoothd sends no signal for a connection that its socket reports before the
    /// kernel does (5.66, src/device.c, att_connect_cb and device_add_connection). If a signal overtakes the reply, the
    /// query repeats, because the signal is newer.
    private func refresh(_ device: ObjectPath, on connection: DBusConnection) async throws(LinkError) {
        for _ in 0..<Self.refreshes {
            let seen = updates
            let answer: [DBusValue]
            do throws(DBusError) {
                answer = try await connection.call(
                    MethodCall(to: BlueZ.service, device, BlueZ.properties, "GetAll", [.string(BlueZ.device)]))
            } catch {
                throw linkError(error, "report the connection")
            }
            guard updates == seen else { continue }
            objects.change(device, BlueZ.device, answer.first?.dictionary ?? [:], invalidated: [])
            return changed.signal()
        }
    }

    /// Requires the connection and its services: bluetoothd reports the end of the connection before that of the
    /// services.
    private func isUsable(_ device: ObjectPath) -> Bool {
        isConnected(device) && objects[device, BlueZ.device]?["ServicesResolved"]?.flag == true
    }

    /// Returns the paths of our service's characteristics, which bluetoothd caches between connections.
    private func characteristics(of device: ObjectPath) async throws(LinkError) -> RemoteCharacteristics {
        let found = RemoteCharacteristics(of: device, in: objects)
        guard let found else {
            throw .radio("the box does not offer the service that its advertisement promises; update it")
        }
        return found
    }

    /// Returns whether the device is connected. bluetoothd's data are the only source for this.
    func isConnected(_ device: ObjectPath) -> Bool {
        absence == nil && objects[device, BlueZ.device]?["Connected"]?.flag == true
    }

    func addresses(of device: ObjectPath) -> (adapter: String, device: String, isRandom: Bool)? {
        guard let properties = objects[device, BlueZ.device], let address = properties["Address"]?.text,
            let adapter = Adapter.chosen(adapterName, in: objects)
        else { return nil }
        return (adapter.address, address, properties["AddressType"]?.text == "random")
    }

    /// Calls `listener` with the values that bluetoothd signals for a characteristic.
    func listen(to characteristic: ObjectPath, _ listener: (@Sendable ([UInt8]) -> Void)?) {
        listeners[characteristic] = listener
    }

    /// Returns when the device is disconnected or the task is cancelled.
    func waitUntilDisconnected(_ device: ObjectPath) async {
        while isConnected(device) {
            let mark = changed.mark()
            guard isConnected(device), await changed.wait(since: mark) == .signalled else { return }
        }
    }

    // MARK: - bluetoothd

    private func connectionIsCurrent(_ connection: DBusConnection) -> Bool { self.connection === connection }

    private func usableAdapter() async throws(LinkError) -> (DBusConnection, Adapter) {
        await startService()
        let deadline = loop.now() + Self.serviceLimit
        while true {
            let mark = changed.mark()
            let adapter = Adapter.chosen(adapterName, in: objects)
            if let connection, let adapter, adapter.isPowered { return (connection, adapter) }
            switch await changed.wait(since: mark, until: deadline) {
            case .signalled: continue
            case .timedOut: throw .radio(fault(adapter: adapter).description)
            case .cancelled: throw .cancelled
            }
        }
    }

    private func startService() async {
        guard service == nil else { return }
        let made = BlueZService(loop: loop, address: bus) { [weak self] event in
            // SAFETY: the service calls on the loop, which is this actor's executor.
            self?.assumeIsolated { $0.handle(event) }
        }
        service = made
        await made.start()
    }

    private func handle(_ event: BlueZEvent) {
        switch event {
        case .unavailable(let absence):
            updates += 1
            self.absence = absence
            connection = nil
            objects = BlueZObjects()
        case .running(let connection, let objects):
            absence = nil
            self.connection = connection
            self.objects = objects
        case .added(let path, let interfaces): objects.add(path, interfaces)
        case .removed(let path, let interfaces): objects.remove(path, interfaces: interfaces)
        case .changed(let path, let interface, let properties, let invalidated):
            if interface == BlueZ.device, !Self.connectionProperties.isDisjoint(with: properties.keys) { updates += 1 }
            if properties["Connected"]?.flag == false { lastDisconnection = loop.now() }
            objects.change(path, interface, properties, invalidated: invalidated)
            if interface == BlueZ.characteristic, let value = properties["Value"]?.byteArray {
                return listeners[path]?(value) ?? ()
            }
        }
        changed.signal()
    }

    private func fault(adapter: Adapter?) -> RadioFault {
        if let absence { return AdapterFault.absence(absence) }
        return adapter.map { AdapterFault.off($0) } ?? AdapterFault.missing(adapterName)
    }

    private func linkError(_ error: DBusError, _ what: String) -> LinkError {
        switch error {
        case .cancelled: .cancelled
        case .timedOut: .timedOut
        case .reply(let name, _) where name == "org.freedesktop.DBus.Error.UnknownObject": .notFound
        // bluetoothd uses these errors for failed connections, for example le-connection-abort-by-local.
        case .reply(let name, _) where name == "org.bluez.Error.Failed" || name == "org.bluez.Error.InProgress":
            .refused
        default: .radio("bluetoothd cannot \(what): \(error); see journalctl -u bluetooth")
        }
    }
}
