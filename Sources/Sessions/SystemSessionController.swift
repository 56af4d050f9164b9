/// Locks, unlocks and ends sessions through logind, or by a command where one is configured for the operation.
public struct SystemSessionController: SessionController {
    private let logind: Logind
    private let commands: CommandSessionController

    public init(logind: Logind, commands: CommandSessionController) {
        self.logind = logind
        self.commands = commands
    }

    public func perform(_ operation: SessionOperation, on target: SessionTarget) async -> SessionOutcome {
        if commands.can(operation) { return await commands.perform(operation, on: target) }
        guard let bytes = target.logindSession, let id = String(validating: bytes, as: UTF8.self) else {
            return .cannot(reason: "the login has no logind session; its PAM service needs pam_systemd")
        }
        switch operation {
        case .lock: return await logind.lock(id)
        case .unlock: return await logind.unlock(id)
        case .logout: return await logind.terminate(id)
        }
    }
}
