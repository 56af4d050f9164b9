import AgentCore

/// Locks, unlocks and ends sessions through logind, or by the command that is configured for the operation.
public struct SystemSessionController: SessionController {
    private let logind: Logind
    private let commands: CommandSessionController

    public init(logind: Logind, commands: CommandSessionController) {
        self.logind = logind
        self.commands = commands
    }

    public func perform(_ operation: SessionOperation, on target: SessionTarget) async -> SessionOutcome {
        let id = target.logindSession.flatMap { String(validating: $0, as: UTF8.self) }
        if commands.can(operation) {
            let outcome = await commands.perform(operation, on: target)
            if let id, outcome == .done, operation != .logout { await logind.setLocked(id, operation == .lock) }
            return outcome
        }
        guard let id else {
            return .cannot(reason: "the login has no logind session; its PAM service needs pam_systemd")
        }
        switch operation {
        case .lock: return await logind.lock(id)
        case .unlock: return await logind.unlock(id)
        case .logout: return await logind.terminate(id)
        }
    }
}
