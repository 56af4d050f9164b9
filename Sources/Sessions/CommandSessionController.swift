import AgentCore
import EventLoop

/// Locks, unlocks and ends sessions by configured commands.
public struct CommandSessionController: SessionController {
    private let loop: EpollLoop
    private let templates: [SessionOperation: CommandTemplate]
    private let timeLimit: Duration

    /// A template without words means that this box cannot do the operation.
    public init(
        loop: EpollLoop, lock: CommandTemplate, unlock: CommandTemplate, logout: CommandTemplate, timeLimit: Duration
    ) {
        self.loop = loop
        templates = [.lock: lock, .unlock: unlock, .logout: logout]
        self.timeLimit = timeLimit
    }

    /// Returns whether there is a command for the operation.
    public func can(_ operation: SessionOperation) -> Bool {
        templates[operation].map { !$0.words.isEmpty } ?? false
    }

    public func perform(_ operation: SessionOperation, on target: SessionTarget) async -> SessionOutcome {
        guard let template = templates[operation], !template.words.isEmpty else {
            return .cannot(reason: "no command is set for it (sessions.\(operation.rawValue)_command)")
        }
        // Names that are not UTF-8 would be ambiguous after conversion to text, so they are refused.
        let words = template.arguments(for: target).map { String(validating: $0, as: UTF8.self) }
        guard let program = words.first ?? nil, words.allSatisfy({ $0 != nil }) else {
            return .cannot(reason: "the session's user or terminal is not valid UTF-8")
        }
        do {
            let command = ChildCommand(
                program, words.dropFirst().compactMap { $0 }, timeLimit: timeLimit)
            switch try await ChildProcess.run(command, on: loop).ending {
            case .exited(0): return .done
            case .exited(let code): return .failed(reason: "the command ended with status \(code)")
            case .signalled(let signal): return .failed(reason: "signal \(signal) ended the command")
            case .cancelled: return .failed(reason: "the agent stopped waiting for the command")
            case .timedOut: return .failed(reason: "the command did not end within \(timeLimit) and was killed")
            }
        } catch {
            return .failed(reason: "the command could not be started: \(error)")
        }
    }
}
