import AgentClient
import ControlProtocol
import TextOutput

/// The greeter's connection to the agent. None of its operations blocks.
struct AgentFollower: ~Copyable {
    private let path: String
    private let terminal: [UInt8]
    private var connection: AgentConnection?

    init(path: String, terminal: String) {
        self.path = path
        self.terminal = Array(terminal.utf8.prefix(ControlLimits.terminalBytes))
    }

    /// The descriptor for poll(2). It is negative without a connection, so poll(2) ignores it.
    var descriptor: Int32 {
        switch connection {
        case .some(let connection): connection.descriptor
        case .none: -1
        }
    }

    mutating func connect() -> GreeterMachine.Event {
        do throws(AgentClientError) {
            connection = try AgentConnection(path: path, timeLimit: .zero)
            try send(.greet(terminal: terminal))
            return .connected
        } catch {
            return lost(error)
        }
    }

    mutating func disconnect() {
        connection = nil
    }

    /// Claims the tap of `user`. Returns nil if the request was sent.
    mutating func claim(_ user: LoginUser) -> GreeterMachine.Event? {
        do throws(AgentClientError) {
            try send(.claimTap(user: user.name))
            return nil
        } catch {
            return lost(error)
        }
    }

    /// Returns the agent's next message, or nil if none has arrived.
    mutating func receive() -> GreeterMachine.Event? {
        do throws(AgentClientError) {
            return try connection?.receive(timeLimit: .zero) { reply, _ in Self.event(reply) }
        } catch {
            return lost(error)
        }
    }

    private mutating func send(_ request: ControlRequest) throws(AgentClientError) {
        try connection?.send(request, timeLimit: .zero)
    }

    private func lost(_ error: AgentClientError) -> GreeterMachine.Event {
        .lost(problem: error.what, cure: error.cure)
    }

    private static func event(_ reply: ControlReply) -> GreeterMachine.Event {
        switch reply {
        case .greeter(let state): .told(state)
        case .tapClaimed(let isClaimed): .claimAnswered(isClaimed)
        case .failure(_, let what, let cure):
            .lost(problem: Printable.text(what), cure: Printable.text(cure))
        default: .lost(problem: AgentClientError.malformed(.unknownMessage).what, cure: AgentClientError.closed.cure)
        }
    }
}
