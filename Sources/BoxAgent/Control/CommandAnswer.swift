import AgentCore
import ControlProtocol

/// The result of a command's request.
enum CommandAnswer: Sendable {
    case replies([ControlReply])
    /// An event for the machine to decide.
    case event(ControlEvent)
}
