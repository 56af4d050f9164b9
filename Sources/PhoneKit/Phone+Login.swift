import PhoneCore
import Secrets

extension Phone {
    /// Logs in with a password that was just entered, as `CredentialRules` allow. Sent once; a link that breaks
    /// afterwards is `linkLost`, never a second try.
    public func login(
        _ target: BoxTarget, credential: consuming HeldSecret, _ interaction: PhoneInteraction
    ) async throws(PhoneError) -> RequestOutcome {
        try await ask(target, .login(credential), ErrandListener(interaction)).outcome
    }

    /// Logs in with what is stored, on the phone or on the box.
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
