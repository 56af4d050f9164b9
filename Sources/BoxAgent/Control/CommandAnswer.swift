import AgentCore
import ControlProtocol

/// What becomes of a command's request.
enum CommandAnswer: Sendable {
    case replies([ControlReply])
    /// What the machine is to decide about.
    case event(ControlEvent)
}
