import EventLoop
import GATTProfile
import Links
import Transport

/// The phone's side of the loopback radio.
public actor LoopbackCentral: CentralRadio {
    /// The pause between two searches of the directory during a scan.
    static let scanPause: Duration = .milliseconds(50)
    /// The number of boxes queried at once, so that a box that hangs cannot hide others.
    static let askedAtOnce = 32
    /// How long a box may take to answer with its advertisement.
    static let advertisementLimit: Duration = .milliseconds(500)
    /// Our own limit for connecting: CoreBluetooth has none, and bluetoothd's is too long for a waiting user.
    static let connectLimit: Duration = .seconds(10)

    private let loop: EpollLoop
    private let airDirectory: String
    private let conditions: LoopbackConditions
    private let preference: BearerPreference

    public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    public init(
        loop: EpollLoop, airDirectory: String, conditions: LoopbackConditions = LoopbackConditions(),
        preference: BearerPreference = .automatic
    ) {
        self.loop = loop
        self.airDirectory = airDirectory
        self.conditions = conditions
        self.preference = preference
    }

    public func scan(
        for duration: Duration, found: @escaping @Sendable (Advertisement) async -> Bool
    ) async throws(LinkError) {
        let end = loop.now() + duration
        var seen: Set<String> = []
        while true {
            var unseen = LoopbackAir.sockets(in: airDirectory).filter { !seen.contains($0) }[...]
            while !unseen.isEmpty {
                for advertisement in await ask(unseen.prefix(Self.askedAtOnce), until: end) {
                    seen.insert(advertisement.address)
                    if await found(advertisement) { return }
                }
                unseen = unseen.dropFirst(Self.askedAtOnce)
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
        let link = LoopbackCentralLink(
            connection: connection, address: address, conditions: conditions, preference: preference)
        do {
            try await link.negotiate(until: deadline)
        } catch {
            await link.close()
            // A box that does not advertise closes the connection.
            throw error == .closed ? .refused : error
        }
        return link
    }

    private func ask(_ names: ArraySlice<String>, until end: Duration) async -> [Advertisement] {
        let deadline = min(end, loop.now() + Self.advertisementLimit)
        return await withTaskGroup(of: Advertisement?.self) { group in
            for name in names {
                group.addTask { await self.ask(name, until: deadline) }
            }
            var heard: [Advertisement] = []
            for await advertisement in group {
                if let advertisement { heard.append(advertisement) }
            }
            return heard
        }
    }

    private func ask(_ name: String, until deadline: Duration) async -> Advertisement? {
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
