import AgentCore

/// Locks, unlocks and ends sessions, by logind or by commands.
public protocol SessionController: Sendable {
    func perform(_ operation: SessionOperation, on target: SessionTarget) async -> SessionOutcome
}
