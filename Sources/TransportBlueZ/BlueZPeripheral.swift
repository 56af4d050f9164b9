import Bluetooth
import DBus
import EventLoop
import GATTProfile
import Links
import Transport

/// The box's side of Bluetooth LE through BlueZ: GATT server and advertisement at bluetoothd.
///
/// It follows bluetoothd and its adapters. It restores lost registrations, and meanwhile reports the fault to
/// `observe`.
public actor BlueZPeripheral: PeripheralRadio {
    public struct Settings: Sendable {
        /// The D-Bus address of bluetoothd's bus.
        public var bus = DBusConnection.systemBusAddress
        /// A name such as "hci0". If empty, any adapter is used.
        public var adapter = ""
        /// True if the characteristics require an encrypted link. Pairing is accepted while `allowPairing` allows it.
        public var requiresLinkEncryption = false

        public init() {}
    }

    /// The most links that wait for `accept`. Further ones are refused, and their phones try again.
    static let acceptQueueLinks = 16
    /// How long a device that has used the service may stay connected without a link.
    static let idleLimit: Duration = .seconds(15)
    /// The longest time from a device's first request to the signal that it is connected.
    static let lateSignalLimit: Duration = .seconds(2)
    /// The pause from a device's last link to its disconnection, in which the phone may open another link.
    static let lingerLimit: Duration = .seconds(1)

    nonisolated let loop: EpollLoop
    nonisolated let settings: Settings
    let table: GATTTable?
    nonisolated let identity = ShownValue()
    var name = ""
    var plan: RegistrationPlan
    var objects = BlueZObjects()
    var connection: DBusConnection?
    var absence: ServiceAbsence?
    var adapter: Adapter?
    var phones = ConnectedPhones()
    var links: [LinkKey: BlueZLink] = [:]
    /// The notification sockets, by the device that bluetoothd requested them for.
    var sockets: [ObjectPath: SeqPacketConnection] = [:]
    /// True if a phone has subscribed without a socket.
    var isNotifying = false
    var mayPair = false
    var listener: L2CAPListener?
    var channels: [UInt64: (device: ObjectPath, connection: UInt64?, link: L2CAPLink)] = [:]
    var nextChannel: UInt64 = 0
    private var service: BlueZService?
    private var waiting: [any PhoneLink] = []
    private let arrived: WaitPoint
    private var observer: (@Sendable (RadioCondition) -> Void)?
    private var told: RadioCondition?
    private var retry: Task<Void, Never>?
    private var stopped = false

    struct LinkKey: Hashable, Sendable {
        let device: ObjectPath
        let tag: LinkTag
    }

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    public init(loop: EpollLoop, settings: Settings) {
        self.loop = loop
        self.settings = settings
        table = GATTTable()
        plan = RegistrationPlan(needsAgent: settings.requiresLinkEncryption)
        arrived = WaitPoint(on: loop)
    }

    // MARK: - PeripheralRadio

    public func start(identity: [UInt8], name: String) async throws(LinkError) {
        guard table != nil else { throw .radio("the GATT table cannot be created; report this bug of boxagentd") }
        self.identity.set(identity)
        self.name = name
        let service = BlueZService(loop: loop, address: settings.bus) { [weak self] event in
            // SAFETY: the service calls on the loop, which is this actor's executor.
            self?.assumeIsolated { $0.handle(event) }
        }
        self.service = service
        await service.start()
    }

    public func show(identity: [UInt8], name: String) async {
        self.identity.set(identity)
        guard name != self.name else { return }
        self.name = name
        plan.advertisementChanged()
        reconcile()
    }

    public func setAdvertising(_ mode: AdvertisingMode) async {
        plan.wanted = mode
        reconcile()
    }

    public func observe(_ handler: @escaping @Sendable (RadioCondition) -> Void) async {
        observer = handler
        told = nil
        tellCondition()
    }

    public func allowPairing(_ allowed: Bool) async {
        mayPair = allowed
    }

    public func accept() async throws(LinkError) -> any PhoneLink {
        while true {
            guard !stopped else { throw .closed }
            if !waiting.isEmpty { return waiting.removeFirst() }
            let mark = arrived.mark()
            guard await arrived.wait(since: mark) == .signalled else { throw .cancelled }
        }
    }

    public func stop() async {
        guard !stopped else { return }
        stopped = true
        retry?.cancel()
        observer = nil
        for link in links.values { await link.end() }
        for channel in channels.values { await channel.link.close() }
        await listener?.close()
        waiting = []
        arrived.signal()
        // bluetoothd drops a program's registrations when the program leaves the bus.
        await service?.stop()
        await closeSockets(takeSockets())
    }

    /// Queues a link for `accept`. Returns false if too many are waiting.
    func offer(_ link: any PhoneLink) -> Bool {
        guard !stopped, waiting.count < Self.acceptQueueLinks else { return false }
        waiting.append(link)
        arrived.signal()
        return true
    }

    // MARK: - bluetoothd

    private func handle(_ event: BlueZEvent) {
        guard !stopped else { return }
        switch event {
        case .unavailable(let absence):
            self.absence = absence
            connection = nil
            objects = BlueZObjects()
            plan.serviceLost()
            everybodyLeft()
        case .running(let connection, let objects):
            absence = nil
            self.connection = connection
            self.objects = objects
            loop.spawn { await self.exportTable(on: connection) }
            for device in objects.paths(with: BlueZ.device) { deviceChanged(device) }
        case .added(let path, let interfaces):
            objects.add(path, interfaces)
            deviceChanged(path)
        case .removed(let path, let interfaces):
            objects.remove(path, interfaces: interfaces)
            deviceChanged(path)
        case .changed(let path, let interface, let properties, let invalidated):
            objects.change(path, interface, properties, invalidated: invalidated)
            if interface == BlueZ.device { deviceChanged(path) }
        }
        reconcile()
    }

    private func exportTable(on connection: DBusConnection) async {
        guard let table else { return }
        await table.export(
            on: connection, identity: identity, psm: channelPSM(), encrypted: settings.requiresLinkEncryption,
            handlers())
        if settings.requiresLinkEncryption { await exportAgent(on: connection, table) }
        guard self.connection === connection else { return }
        exported = connection
        reconcile()
    }

    /// The connection on which the table is exported. Nothing is registered before that.
    private var exported: DBusConnection?

    private func reconcile() {
        guard !stopped else { return }
        adapter = Adapter.chosen(settings.adapter, in: objects)
        plan.adapterChanged(to: adapter)
        tellCondition()
        guard let connection, exported === connection else { return }
        if let step = plan.next(now: loop.now()) {
            loop.spawn { await self.perform(step, on: connection) }
        } else if let due = plan.retryAt, due > loop.now() {
            retry?.cancel()
            retry = loop.spawn { [weak self, loop] in
                guard (try? await loop.sleep(until: due)) != nil else { return }
                await self?.reconcile()
            }
        }
    }

    private func perform(_ step: RegistrationPlan.Step, on connection: DBusConnection) async {
        var outcome = RegistrationPlan.Outcome.done
        do throws(DBusError) {
            if case .registerAdvertisement(_, let mode) = step, let table {
                await table.exportAdvertisement(on: connection, name: name, mode: mode, handlers())
            }
            for call in calls(for: step) { _ = try await connection.call(call) }
        } catch  where BlueZ.isHarmless(error) {
            outcome = .done
        } catch {
            let slotsTaken = error.replyName == "org.bluez.Error.NotPermitted"
            outcome = .failed("\(error)", slotsTaken: slotsTaken)
        }
        guard self.connection === connection else { return }
        plan.finished(step, outcome, now: loop.now())
        reconcile()
    }

    private func calls(for step: RegistrationPlan.Step) -> [MethodCall] {
        guard let table else { return [] }
        let nothing = DBusValue.properties([])
        func call(_ path: ObjectPath, _ interface: String, _ member: String, _ values: [DBusValue]) -> MethodCall {
            MethodCall(to: BlueZ.service, path, interface, member, values)
        }
        switch step {
        case .registerApplication(let path):
            return [call(path, BlueZ.gattManager, "RegisterApplication", [.objectPath(table.application), nothing])]
        case .unregisterApplication(let path):
            return [call(path, BlueZ.gattManager, "UnregisterApplication", [.objectPath(table.application)])]
        case .registerAdvertisement(let path, _):
            let values: [DBusValue] = [.objectPath(table.advertisement), nothing]
            return [call(path, BlueZ.advertisingManager, "RegisterAdvertisement", values)]
        case .unregisterAdvertisement(let path):
            let values: [DBusValue] = [.objectPath(table.advertisement)]
            return [call(path, BlueZ.advertisingManager, "UnregisterAdvertisement", values)]
        case .registerAgent:
            guard let manager = ObjectPath(BlueZ.bluezPath) else { return [] }
            return [
                call(
                    manager, BlueZ.agentManager, "RegisterAgent",
                    [.objectPath(table.agent), .string("NoInputNoOutput")]),
                call(manager, BlueZ.agentManager, "RequestDefaultAgent", [.objectPath(table.agent)]),
            ]
        }
    }

    func advertisementReleased() {
        plan.advertisementReleased()
        reconcile()
    }

    // MARK: - Condition

    private func tellCondition() {
        let condition = self.condition
        guard condition != told, let observer else { return }
        told = condition
        observer(condition)
    }

    private var condition: RadioCondition {
        if let absence { return .faulty(AdapterFault.absence(absence)) }
        guard connection != nil else { return .starting }
        guard let adapter else { return .faulty(AdapterFault.missing(settings.adapter)) }
        guard adapter.isPowered else { return .faulty(AdapterFault.off(adapter)) }
        if let failure = plan.failure { return .faulty(failure) }
        guard adapter.isPeripheral || plan.isRegistered else { return .faulty(AdapterFault.cannotServe(adapter)) }
        guard plan.isRegistered, plan.advertisedMode != nil || plan.wanted == .off else { return .starting }
        return .working(
            adapter.heedsIntervals
                ? "on \(adapter.name)" : "on \(adapter.name), at bluetoothd's own advertising interval")
    }
}
