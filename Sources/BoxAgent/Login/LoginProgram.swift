import AgentProtocol
import Secrets

/// Something that waits for a credential: a connection of the PAM module, or `boxagent test-login`. The agent calls on its
/// loop, and waits for none of them.
protocol LoginProgram: Sendable {
    /// The program waits; it is given signs of life until it is served.
    func tellWaiting()
    /// The same, while the person is asked on the phone.
    func tellAsking()
    /// Hands the credential over.
    func deliver(user: [UInt8], credential: HeldSecret) async -> CredentialTaking
    func refuse(_ reason: UnavailableReason)
}

extension LoginProgram {
    func tellAsking() { tellWaiting() }
}
