import AgentProtocol
import Secrets

/// Something that waits for a credential: a connection of the PAM module, or `boxagent test-login`. The agent calls on its
/// loop, and waits for none of them.
protocol LoginProgram: Sendable {
    /// The program waits; it is given signs of life until it is served.
    func tellWaiting()
    /// The same, while the person is asked on the phone.
    func tellAsking()
    /// Hands the credential over; false when the program is gone, or takes nothing, and has not had it.
    func deliver(user: [UInt8], credential: HeldSecret) async -> Bool
    func refuse(_ reason: UnavailableReason)
}

extension LoginProgram {
    func tellAsking() { tellWaiting() }
}
