import AgentClient
import ControlProtocol
import Secrets
import TextOutput

/// One request and its replies.
struct Conversation: ~Copyable {
    /// Time for the agent to accept a connection or a request, or to answer a request that needs no person.
    static let answerLimit = Duration.seconds(10)

    private var connection: AgentConnection

    init(socket path: String) throws(CommandFailure) {
        do {
            connection = try AgentConnection(path: path, timeLimit: Self.answerLimit)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Sends a request, or the answer to a question of the agent.
    mutating func send(_ request: ControlRequest) throws(CommandFailure) {
        do {
            try connection.send(request, timeLimit: Self.answerLimit)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Sends a join code, and wipes its bytes from the send buffer.
    mutating func sendJoin(_ code: borrowing SecretBytes) throws(CommandFailure) {
        do {
            try code.withBytes { bytes throws(AgentClientError) in
                try connection.sendJoin(code: bytes, timeLimit: Self.answerLimit)
            }
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Becomes readable when a reply or the end of the connection arrives.
    var descriptor: Int32 { connection.descriptor }

    /// Lends the next reply to `body`; returns nil after the limit. Throws a failure that the agent reports.
    mutating func receive<Result>(
        within limit: Duration, _ body: (ControlReply, RawSpan) -> Result
    ) throws(CommandFailure) -> Result? {
        var failure: CommandFailure?
        let result: Result?
        do {
            result = try connection.receive(timeLimit: limit) { reply, bytes in
                if case .failure(let kind, let what, let cure) = reply {
                    failure = CommandFailure(kind, what: what, cure: cure)
                }
                return body(reply, bytes)
            }
        } catch {
            throw CommandFailure(error)
        }
        if let failure { throw failure }
        return result
    }

    /// Sends a request, passes on its replies, and returns the text of the last one.
    mutating func ask(
        _ request: ControlRequest, within limit: Duration = answerLimit, each: (ControlReply) -> Void = { _ in }
    ) throws(CommandFailure) -> String {
        try send(request)
        while true {
            let text: String?? = try receive(within: limit) { reply, _ in
                if case .done(let text) = reply { return Printable.text(text) }
                each(reply)
                return nil
            }
            switch text {
            case .some(.some(let text)): return text
            case .some(.none): continue
            case .none: throw CommandFailure(.timedOut)
            }
        }
    }
}
