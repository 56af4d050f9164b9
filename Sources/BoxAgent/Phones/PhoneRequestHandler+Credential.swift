import Vault
import VaultPort

/// What a request does to the credential that the box holds.
extension PhoneRequestHandler {
    /// Tries, stores or changes it. When that changed what the state says of it, every channel of the device hears the new
    /// state, and hears it before the result (docs/protocol.md section 10).
    func onCredential<Result: Sendable>(
        _ body: (BoxVault) async throws(VaultError) -> Result
    ) async throws(VaultError) -> Result {
        let before = try await agent.vault.credentialState(device.id)
        let outcome: Swift.Result<Result, VaultError>
        do throws(VaultError) {
            outcome = .success(try await body(agent.vault))
        } catch {
            outcome = .failure(error)
        }
        if try await agent.vault.credentialState(device.id) != before { await agent.tellState(device.id) }
        return try outcome.get()
    }
}
