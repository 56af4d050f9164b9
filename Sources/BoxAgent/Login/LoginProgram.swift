import AgentCore
import Secrets

/// A program that waits for a credential: PAM module or `boxagent test-login`. The agent calls it without waiting.
protocol LoginProgram: Sendable {
    /// True if no user was looked up for the program's request.
    var needsLookup: Bool { get async }
    func tell(_ message: ProgramMessage)
    /// Delivers the credential.
    func deliver(user: [UInt8], credential: HeldSecret) async -> CredentialTaking
}
