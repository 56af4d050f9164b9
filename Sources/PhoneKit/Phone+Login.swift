import PhoneCore
import Secrets

extension Phone {
    /// Logs in with a password that was just entered, and that `CredentialRules` allow. Sends the password only once:
    /// if the link breaks afterwards, throws `linkLost`.
    public func login(
        _ target: BoxTarget, credential: consuming HeldSecret, _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> RequestOutcome {
        try await ask(target, .login(credential), ErrandListener(interaction)).outcome
    }

    /// Logs in with the password that the phone, the box or the site stores.
    public func login(
        _ target: BoxTarget, unlock: any VaultUnlock, _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> LoginOutcome {
        let order = Order.login(target, asksPerson: unlock.asksPerson)
        guard case .loggedIn(let outcome) = try await run(order, ErrandListener(interaction, unlock: unlock)) else {
            throw .nonsense(boxID: target.boxID)
        }
        return outcome
    }
}
