import AgentCore

/// Something that locks, unlocks and ends sessions: logind, or commands.
public protocol SessionController: Sendable {
    func perform(_ operation: SessionOperation, on target: SessionTarget) async -> SessionOutcome
}
