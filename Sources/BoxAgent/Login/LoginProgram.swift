import AgentProtocol
import Secrets

/// Something that waits for a credential: a connection of the PAM module, or `boxagent test-login`.
protocol LoginProgram: Sendable {
    /// The program waits; it is given signs of life until it is served.
    func tellWaiting() async
    /// The same, while the person is asked on the phone.
    func tellAsking() async
    /// Hands the credential over; false when the program is gone and has not had it.
    func deliver(user: [UInt8], credential: HeldSecret) async -> Bool
    func refuse(_ reason: UnavailableReason) async
}

extension LoginProgram {
    func tellAsking() async { await tellWaiting() }
}
