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

    /// Sets after how many seconds away the session ends by itself, within the administrator's bounds; 0 is never. The
    /// state says what holds, whatever the outcome.
    public func setAutoLogout(
        _ target: BoxTarget, seconds: UInt32, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> Answer {
        try await ask(target, .simple, .harmless, interaction) { _ in .setAutoLogout(seconds: seconds) }
    }

    /// Puts off the automatic logout that the box warns of; never done but at somebody's wish.
    public func extend(
        _ target: BoxTarget, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> Answer {
        let connected = try await connect(to: target, interaction)
        let result: Result<Answer, PhoneError>
        do throws(PhoneError) {
            var conversation = ChannelConversation()
            // By its answer to this one the box has said whether it knows the other, and what it warns of.
            _ = try await ask(.status, .simple, connected, &conversation)
            result = .success(try await act(.extend, connected, &conversation))
        } catch {
            result = .failure(error)
        }
        await end(connected.channel)
        return try result.get()
    }

    /// What a tap asks for, on a channel whose hello is answered.
    func act(
        _ act: SessionAct, _ connected: ConnectedBox, _ conversation: inout ChannelConversation
    ) async throws(PhoneError) -> Answer {
        if act == .extend, !conversation.boxCapabilities.contains(.logoutWarnings) {
            // It would end the channel of whoever asks.
            return Answer(outcome: .refused(.badRequest, .none), state: nil)
        }
        return try await ask(act.request, act == .extend ? .simple : .session, connected, &conversation)
    }

    /// One request on a channel that is open.
    func ask(
        _ request: consuming PhoneRequest, _ kind: RequestKind, _ connected: ConnectedBox,
        _ conversation: inout ChannelConversation, _ interaction: PhoneInteraction = PhoneInteraction()
    ) async throws(PhoneError) -> Answer {
        let id = await send(request, on: connected.channel, &conversation)
        let asked = await answer(to: id, kind, on: connected.channel, &conversation, interaction, watching: connected)
        return Answer(
            outcome: try await settle(asked.end, connected.box), state: asked.state, warning: conversation.warning)
    }
}
