import PhoneCore
import PhoneMessages

/// Operations on the user's session at a box.
extension Phone {
    /// Returns the session, the automatic logout, and the state of the box-held password.
    public func status(
        _ target: BoxTarget, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> BoxState {
        let answer = try await ask(target, .status, ErrandListener(interaction))
        guard case .done = answer.outcome, let state = answer.state else { throw .nonsense(boxID: target.boxID) }
        return state
    }

    /// Locks the session. The box answers once its screen is locked.
    public func lock(
        _ target: BoxTarget, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> RequestOutcome {
        try await ask(target, .lock, ErrandListener(interaction)).outcome
    }

    /// Unlocks the session. Call this only for an explicit action of the user, never because the phone is near.
    public func unlock(
        _ target: BoxTarget, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> RequestOutcome {
        try await ask(target, .unlock, ErrandListener(interaction)).outcome
    }

    /// Ends the session. The box answers once the session has ended.
    public func logout(
        _ target: BoxTarget, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> RequestOutcome {
        try await ask(target, .logout, ErrandListener(interaction)).outcome
    }

    /// Sets the seconds of absence after which the session ends automatically, within the administrator's bounds. 0
    /// means never. The returned state always has the value in force.
    public func setAutoLogout(
        _ target: BoxTarget, seconds: UInt32, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> RequestAnswer {
        try await ask(target, .setAutoLogout(seconds: seconds), ErrandListener(interaction))
    }

    /// Postpones the automatic logout that the box has announced. Call this only for an explicit action of the user.
    public func extend(
        _ target: BoxTarget, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> RequestAnswer {
        guard case .answered(let answer) = try await run(.extend(target), ErrandListener(interaction)) else {
            throw .nonsense(boxID: target.boxID)
        }
        return answer
    }
}
