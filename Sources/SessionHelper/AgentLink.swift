import ControlProtocol
import EventLoop
import Wire

/// The helper's connection to the agent. While it is open, the agent knows that this session handles Lock.
actor AgentLink {
    static let firstPause: Duration = .seconds(1)
    static let longestPause: Duration = .seconds(30)
    static let sendLimit: Duration = .seconds(5)

    nonisolated let loop: EpollLoop
    private let socket: String
    private let session: String
    /// Receives the agent's messages for the user of the session.
    private let noticed: @Sendable (String) async -> Void
    private var connection: SeqPacketConnection?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(loop: EpollLoop, socket: String, session: String, noticed: @escaping @Sendable (String) async -> Void) {
        self.loop = loop
        self.socket = socket
        self.session = session
        self.noticed = noticed
    }

    /// Connects, and reconnects after the agent restarts, until the task is cancelled.
    func run() async {
        var pause = Self.firstPause
        while !Task.isCancelled {
            if await serve() { pause = Self.firstPause }
            guard (try? await loop.sleep(until: loop.now() + pause)) != nil else { return }
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Tells the agent why the session was not locked. Without an agent, the reason is dropped.
    func refused(_ reason: String) async {
        guard let connection else { return }
        _ = await send(.lockRefused(reason: ControlLimits.cut(reason, to: ControlLimits.reasonBytes)), over: connection)
    }

    /// Returns whether the agent accepted this helper.
    private func serve() async -> Bool {
        guard
            let connection = try? await SeqPacketConnection.connect(
                to: socket, on: loop, until: loop.now() + Self.sendLimit),
            await send(.sessionHelper(session: Array(session.utf8)), over: connection)
        else { return false }
        var isTaken = false
        // Just after its start, the agent does not know the session yet and refuses.
        var isRefused = false
        while !isRefused, let bytes = try? await connection.receive(limit: ControlLimits.messageBytes),
            let reply = bytes.withRawSpan({ try? ControlReply.decode($0) })
        {
            switch reply {
            case .done:
                isTaken = true
                self.connection = connection
            case .failure: isRefused = true
            case .notice(let text): await noticed(text)
            default: break
            }
        }
        self.connection = nil
        await connection.close()
        return isTaken
    }

    private func send(_ request: ControlRequest, over connection: SeqPacketConnection) async -> Bool {
        guard
            let message = try? [UInt8].encoding(
                limit: ControlLimits.messageBytes,
                { output throws(ControlMessageError) in try request.encode(into: &output) })
        else { return false }
        return (try? await connection.send(message, until: loop.now() + Self.sendLimit)) != nil
    }
}
