import PhoneCore
import PhoneMessages

/// What a person does with their session on a box.
extension Phone {
    /// The session, the automatic logout, and what the box holds for this phone.
    public func status(
        _ target: BoxTarget, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> BoxState {
        let answer = try await ask(target, .status, ErrandListener(interaction))
        guard case .done = answer.outcome, let state = answer.state else { throw .nonsense(boxID: target.boxID) }
        return state
    }

    /// Locks the session; the box answers when its screen is locked.
    public func lock(
        _ target: BoxTarget, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> RequestOutcome {
        try await ask(target, .lock, ErrandListener(interaction)).outcome
    }

    /// Unlocks the session: always somebody's explicit wish, never done because the phone is near.
    public func unlock(
        _ target: BoxTarget, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> RequestOutcome {
        try await ask(target, .unlock, ErrandListener(interaction)).outcome
    }

    /// Ends the session; the box answers when it is gone.
    public func logout(
        _ target: BoxTarget, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> RequestOutcome {
        try await ask(target, .logout, ErrandListener(interaction)).outcome
    }

    /// Sets after how many seconds away the session ends by itself, within the administrator's bounds; 0 is never. The
    /// state says what holds, whatever the outcome.
    public func setAutoLogout(
        _ target: BoxTarget, seconds: UInt32, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> RequestAnswer {
        try await ask(target, .setAutoLogout(seconds: seconds), ErrandListener(interaction))
    }

    /// Puts off the automatic logout that the box warns of; never done but at somebody's wish.
    public func extend(
        _ target: BoxTarget, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> RequestAnswer {
        guard case .answered(let answer) = try await run(.extend(target), ErrandListener(interaction)) else {
            throw .nonsense(boxID: target.boxID)
        }
        return answer
    }
}
