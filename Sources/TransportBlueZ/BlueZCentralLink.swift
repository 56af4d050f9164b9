import Bluetooth
import DBus
import EventLoop
import GATTProfile
import Links
import Synchronization
import Transport

/// A phone's link to one box over GATT. Uses bluetoothd's sockets if available, otherwise WriteValue and signals.
actor BlueZCentralLink: CentralLink, PhoneLink {
    static let answerLimit: Duration = .seconds(5)
    /// A controller answers Read RSSI within milliseconds.
    static let signalLimit: Duration = .milliseconds(500)
    /// The most waiting notifications: a window of them may be in flight, with acknowledgements.
    static let inboxValues = 4 * Segmentation.windowSegments

    nonisolated var binding: [UInt8] { BearerBinding.gatt.bytes }
    nonisolated var carrierName: String { BearerBinding.gatt.name }
    nonisolated let peerDescription: String
    nonisolated var segmentLimits: SegmentLimits {
        SegmentLimits(
            sentBytes: Bearer.gatt.segmentBytes(mtu: mtu.load(ordering: .relaxed)),
            receivedBytes: Bearer.gatt.segmentLimitBytes)
    }

    private let loop: EpollLoop
    private let connection: DBusConnection
    private let central: BlueZCentral
    private let device: ObjectPath
    private let preference: BearerPreference
    /// True if this link must end the connection. Otherwise another program made the connection, and ends it.
    private let endsConnection: Bool
    private nonisolated let mtu = Atomic<Int>(GATTService.attMTUBytes.lowerBound)
    private let tag = LinkTag.random()
    private let arrived: WaitPoint
    private var characteristics: RemoteCharacteristics?
    private var notifySocket: SeqPacketConnection?
    private var writeSocket: SeqPacketConnection?
    private var inbox: [[UInt8]] = []
    private var isOpen = true
    private var isClosed = false
    private var watch: Task<Void, Never>?
    private var reading: Task<Void, Never>?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(
        loop: EpollLoop, connection: DBusConnection, central: BlueZCentral, device: ObjectPath, endsConnection: Bool,
        preference: BearerPreference
    ) {
        self.loop = loop
        self.connection = connection
        self.central = central
        self.device = device
        self.endsConnection = endsConnection
        self.preference = preference
        arrived = WaitPoint(on: loop)
        peerDescription = "box \(device.text.split(separator: "/").last ?? "")"
    }

    func prepare(_ found: RemoteCharacteristics) async throws(LinkError) {
        characteristics = found
        guard await central.isConnected(device) else { throw .closed }
        watch = loop.spawn { [weak self, central, device] in
            await central.waitUntilDisconnected(device)
            await self?.end()
        }
    }

    // MARK: - CentralLink

    func readIdentity() async throws(LinkError) -> [UInt8] {
        try await read(characteristics?.identity)
    }

    /// A phone never uses both bearers at once. Writes to the transfer characteristic while a channel was busy have
    /// made phones or boxes drop one of the bearers.
    func open(for demand: LinkDemand) async throws(LinkError) -> OpenedLink {
        let wanted = preference.bearer(forMuch: demand == .much)
        if wanted == .l2cap, let channel = try await channel() { return OpenedLink(channel, carries: .much) }
        try await subscribe()
        return OpenedLink(
            self, carries: .little, shortcoming: wanted == .l2cap ? BearerPreference.withoutL2CAP : nil)
    }

    /// Opens an L2CAP channel. Returns nil, with the link unchanged, if the box offers or accepts no channel.
    private func channel() async throws(LinkError) -> (any PhoneLink)? {
        let psm = try await readPSM()
        guard GATTService.dynamicPSMs.contains(psm) else { return nil }
        do throws(LinkError) {
            return try await openChannel(psm: psm)
        } catch .refused {
            return nil
        }
    }

    /// Reads the PSM characteristic. 0 means that the box offers no L2CAP channel.
    private func readPSM() async throws(LinkError) -> UInt16 {
        let value = try await read(characteristics?.psm)
        guard value.count == 2 else { throw .refused }
        return UInt16(value[0]) | UInt16(value[1]) << 8
    }

    /// Asks the controller itself, because bluetoothd reports only the signal of advertisements.
    func signalStrength() async -> Int? {
        guard isOpen, let adapter = BlueZ.adapterNumber(of: device),
            let found = await central.addresses(of: device),
            let peer = BluetoothAddress(found.device, found.isRandom ? .random : .public)
        else { return nil }
        return try? await ControllerSignal.measure(
            peer, adapter: adapter, on: loop, until: loop.now() + Self.signalLimit)
    }

    /// Subscribes to notifications. Before that, the box accepts no segment.
    private func subscribe() async throws(LinkError) {
        guard isOpen, let transfer = characteristics?.transfer else { throw .closed }
        if let (socket, mtu) = try await acquire("AcquireNotify", transfer) {
            notifySocket = socket
            self.mtu.store(mtu, ordering: .relaxed)
            reading = loop.spawn { [weak self] in
                while let value = try? await socket.receive(limit: GATTService.valueBytes) { await self?.take(value) }
                await self?.end()
            }
        } else {
            await central.listen(to: transfer) { [weak self] value in
                // SAFETY: bluetoothd's signals arrive on the loop, which is this actor's executor.
                self?.assumeIsolated { $0.take(value) }
            }
            _ = try await call(transfer, BlueZ.characteristic, "StartNotify")
        }
        guard isOpen else { throw .closed }
        if let (socket, mtu) = try await acquire("AcquireWrite", transfer) {
            writeSocket = socket
            self.mtu.store(mtu, ordering: .relaxed)
        }
    }

    /// Throws `refused` if the box accepts no such channel now and GATT is still possible.
    private func openChannel(psm: UInt16) async throws(LinkError) -> any PhoneLink {
        guard isOpen, notifySocket == nil, let found = await central.addresses(of: device),
            let own = BluetoothAddress(found.adapter, .public),
            let box = BluetoothAddress(found.device, found.isRandom ? .random : .public)
        else { throw .refused }
        do {
            let (connection, mtu) = try await SeqPacketConnection.connect(
                from: own, to: box, psm: psm, options: L2CAPLink.options, on: loop,
                until: loop.now() + Self.answerLimit)
            return L2CAPLink(
                connection: connection, psm: psm, sendMTU: mtu, peerDescription: peerDescription + ", L2CAP",
                measure: { [self] in await signalStrength() }, onClose: { [self] in await close() })
        } catch .cancelled {
            throw .cancelled
        } catch .timedOut {
            throw .timedOut
        } catch {
            throw .refused
        }
    }

    func send(_ segment: [UInt8]) async throws(LinkError) {
        guard isOpen, let transfer = characteristics?.transfer else { throw .closed }
        guard segment.count <= segmentLimits.sentBytes else { throw .messageTooLarge }
        let value = tag.tagged(segment)
        if let writeSocket {
            do {
                return try await writeSocket.send(value)
            } catch .cancelled {
                throw .cancelled
            } catch {
                end()
                throw .closed
            }
        }
        let command = DBusValue.properties([("type", .string("command"))])
        _ = try await call(transfer, BlueZ.characteristic, "WriteValue", [.bytes(value), command])
    }

    func receive() async throws(LinkError) -> [UInt8] {
        while true {
            if !inbox.isEmpty { return inbox.removeFirst() }
            guard isOpen else { throw .closed }
            let mark = arrived.mark()
            guard await arrived.wait(since: mark) == .signalled else { throw .cancelled }
        }
    }

    func close() async {
        end()
        guard !isClosed else { return }
        isClosed = true
        await notifySocket?.close()
        await writeSocket?.close()
        if let transfer = characteristics?.transfer, notifySocket == nil { await central.listen(to: transfer, nil) }
        guard endsConnection else { return }
        // bluetoothd replies only after two seconds, but disconnects even if no program waits.
        try? await connection.send(MethodCall(to: BlueZ.service, device, BlueZ.device, "Disconnect"))
    }

    // MARK: - Work

    private func take(_ value: [UInt8]) {
        guard isOpen, let segment = tag.segment(of: value) else { return }
        guard inbox.count < Self.inboxValues else { return end() }
        inbox.append(segment)
        arrived.signal()
    }

    private func end() {
        guard isOpen else { return }
        isOpen = false
        watch?.cancel()
        reading?.cancel()
        arrived.signal()
    }

    private func read(_ characteristic: ObjectPath?) async throws(LinkError) -> [UInt8] {
        guard isOpen, let characteristic else { throw .closed }
        let answer = try await call(characteristic, BlueZ.characteristic, "ReadValue", [.properties([])])
        guard let value = answer.first?.byteArray, value.count <= GATTService.valueBytes else { throw .refused }
        return value
    }

    /// Returns a socket and the ATT_MTU, or nil if bluetoothd is too old or another program here has the socket.
    private func acquire(
        _ method: String, _ characteristic: ObjectPath
    ) async throws(LinkError) -> (SeqPacketConnection, Int)? {
        let answer: [DBusValue]
        do throws(DBusError) {
            answer = try await connection.call(
                MethodCall(to: BlueZ.service, characteristic, BlueZ.characteristic, method, [.properties([])]),
                timeout: Self.answerLimit)
        } catch {
            switch error {
            case .cancelled: throw .cancelled
            case .reply: return nil
            default: throw linkError(error)
            }
        }
        guard answer.count == 2, let descriptor = answer[0].ownedDescriptor?.take(), let mtu = answer[1].integer else {
            throw .radio("bluetoothd's reply to \(method) is not valid; update BlueZ")
        }
        guard GATTService.attMTUBytes.contains(mtu),
            let socket = try? SeqPacketConnection.adopting(descriptor, on: loop)
        else { throw .radio("bluetoothd provides no usable socket; see journalctl -u bluetooth") }
        return (socket, mtu)
    }

    private func call(
        _ path: ObjectPath, _ interface: String, _ member: String, _ values: [DBusValue] = []
    ) async throws(LinkError) -> [DBusValue] {
        do throws(DBusError) {
            return try await connection.call(
                MethodCall(to: BlueZ.service, path, interface, member, values), timeout: Self.answerLimit)
        } catch {
            throw linkError(error)
        }
    }

    private func linkError(_ error: DBusError) -> LinkError {
        switch error {
        case .cancelled: .cancelled
        case .timedOut: .timedOut
        case .reply(let name, _) where name == "org.bluez.Error.NotPermitted":
            .radio("another program of this machine uses the connection to the box; end it and try again")
        case .reply: isOpen ? .refused : .closed
        default: .closed
        }
    }
}
