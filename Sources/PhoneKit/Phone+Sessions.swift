import PhoneMessages
import Vault

/// What a person does with their session on a box.
extension Phone {
    /// The session, the automatic logout, and what the box holds for this phone.
    public func status(
        _ target: BoxTarget, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> BoxState {
        let answer = try await ask(target, .simple, .harmless, interaction) { _ in .status }
        guard case .done = answer.outcome, let state = answer.state else { throw .nonsense(boxID: target.boxID) }
        return state
    }

    /// Locks the session; the box answers when its screen is locked.
    public func lock(
        _ target: BoxTarget, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> RequestOutcome {
        try await ask(target, .session, .harmless, interaction) { _ in .lock }.outcome
    }

    /// Unlocks the session: always somebody's explicit wish, never done because the phone is near.
    public func unlock(
        _ target: BoxTarget, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> RequestOutcome {
        try await ask(target, .session, .harmless, interaction) { _ in .unlock }.outcome
    }

    /// Ends the session; the box answers when it is gone.
    public func logout(
        _ target: BoxTarget, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> RequestOutcome {
        try await ask(target, .session, .harmless, interaction) { _ in .logout }.outcome
    }

    /// Sets after how many seconds away the session ends by itself, within the administrator's bounds; 0 is never.
    public func setAutoLogout(
        _ target: BoxTarget, seconds: UInt32, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> RequestOutcome {
        try await ask(target, .simple, .harmless, interaction) { _ in .setAutoLogout(seconds: seconds) }.outcome
    }
}
