import AgentProtocol
import EventLoop
import Wire

/// The connection to the agent that says "this session has somebody who answers Lock", for as long as it is open.
struct AgentLink: Sendable {
    static let firstPause: Duration = .seconds(1)
    static let longestPause: Duration = .seconds(30)
    static let sendLimit: Duration = .seconds(5)

    let loop: EpollLoop
    let socket: String
    let session: String
    /// What the agent has to say to the person in the session.
    let noticed: @Sendable (String) async -> Void

    /// Connects, and again when the agent has restarted, until it is cancelled.
    func run() async {
        var pause = Self.firstPause
        while !Task.isCancelled {
            if await serve() { pause = Self.firstPause }
            guard (try? await loop.sleep(until: loop.now() + pause)) != nil else { return }
            pause = min(pause * 2, Self.longestPause)
        }
    }

    /// Whether the agent took us.
    private func serve() async -> Bool {
        let request = ControlRequest.sessionHelper(session: Array(session.utf8))
        guard
            let connection = try? await SeqPacketConnection.connect(
                to: socket, on: loop, until: loop.now() + Self.sendLimit),
            let message = try? [UInt8].encoding(
                limit: AgentLimits.messageBytes, { output throws(WireError) in try request.encode(into: &output) }),
            (try? await connection.send(message, until: loop.now() + Self.sendLimit)) != nil
        else { return false }
        var isTaken = false
        // The agent refuses while it does not know the session yet, just after its start.
        var isRefused = false
        while !isRefused, let bytes = try? await connection.receive(limit: AgentLimits.messageBytes),
            let reply = bytes.withRawSpan({ try? ControlReply.decode($0) })
        {
            switch reply {
            case .done: isTaken = true
            case .failure: isRefused = true
            case .notice(let text): await noticed(String(decoding: text, as: UTF8.self))
            default: break
            }
        }
        await connection.close()
        return isTaken
    }
}
