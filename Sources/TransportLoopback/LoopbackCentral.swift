import EventLoop
import Transport

/// The phone's end of the loopback radio.
public actor LoopbackCentral: CentralRadio {
    /// Between two looks at the air while a scan goes on.
    static let scanPause: Duration = .milliseconds(50)
    /// A box that does not advertise within this time is not there.
    static let advertisementLimit: Duration = .milliseconds(500)
    /// CoreBluetooth and BlueZ never give up by themselves: this limit is ours.
    static let connectLimit: Duration = .seconds(10)

    private let loop: EpollLoop
    private let airDirectory: String
    private let conditions: LoopbackConditions

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    public init(loop: EpollLoop, airDirectory: String, conditions: LoopbackConditions = LoopbackConditions()) {
        self.loop = loop
        self.airDirectory = airDirectory
        self.conditions = conditions
    }

    public func scan(
        for duration: Duration, found: @escaping @Sendable (Advertisement) async -> Bool
    ) async throws(LinkError) {
        let end = loop.now() + duration
        var seen: Set<String> = []
        while true {
            for name in LoopbackAir.sockets(in: airDirectory) where !seen.contains(name) {
                guard let advertisement = await ask(name) else { continue }
                seen.insert(name)
                if await found(advertisement) { return }
            }
            let next = loop.now() + Self.scanPause
            guard next < end else { return }
            do {
                try await loop.sleep(until: next)
            } catch {
                throw .cancelled
            }
        }
    }

    public func connect(to address: String) async throws(LinkError) -> any CentralLink {
        guard LoopbackAir.isPlain(address) else { throw .notFound }
        let deadline = loop.now() + Self.connectLimit
        let connection = try await open(address, until: deadline)
        let link = LoopbackCentralLink(connection: connection, address: address, conditions: conditions)
        try await link.negotiate(until: deadline)
        return link
    }

    private func ask(_ name: String) async -> Advertisement? {
        let deadline = loop.now() + Self.advertisementLimit
        guard let connection = try? await open(name, until: deadline) else { return nil }
        try? await connection.send(AttributePDU.scanRequest.bytes, until: deadline)
        let answer = try? await connection.receive(limit: AttributePDU.byteLimit, until: deadline)
        await connection.close()
        guard let answer, case .advertisement(let shown)? = AttributePDU(answer) else { return nil }
        return Advertisement(name: shown, address: name, rssi: -40)
    }

    private func open(_ name: String, until deadline: Duration) async throws(LinkError) -> SeqPacketConnection {
        do {
            return try await SeqPacketConnection.connect(to: airDirectory + "/" + name, on: loop, until: deadline)
        } catch {
            throw switch error {
            case .timedOut: .timedOut
            case .cancelled: .cancelled
            default: .notFound
            }
        }
    }
}
