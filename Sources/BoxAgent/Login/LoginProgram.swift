import AgentCore
import Secrets

/// Something that waits for a credential: a connection of the PAM module, or `boxagent test-login`. The agent calls on its
/// loop, and waits for none of them.
protocol LoginProgram: Sendable {
    func tell(_ message: ProgramMessage)
    /// Hands the credential over.
    func deliver(user: [UInt8], credential: HeldSecret) async -> CredentialTaking
}
