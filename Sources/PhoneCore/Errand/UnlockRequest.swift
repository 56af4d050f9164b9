/// A request to the person for a PIN, or for a key in place of the PIN.
public struct UnlockRequest: Sendable, Equatable {
    public enum Purpose: Sendable, Equatable {
        /// The credential in this phone's vault.
        case phoneVault
        /// The credential that the box or its site holds. The PIN must follow `PINRules`.
        case boxCredential(boxID: String)
    }

    public let purpose: Purpose
    /// The tries left before the credential is destroyed, if known.
    public let triesLeft: Int?
    /// True if the previous PIN was wrong.
    public let isRepeated: Bool

    public init(purpose: Purpose, triesLeft: Int?, isRepeated: Bool) {
        self.purpose = purpose
        self.triesLeft = triesLeft
        self.isRepeated = isRepeated
    }

    /// True if a wrong answer destroys the credential. Warn before asking.
    public var isLastTry: Bool { triesLeft == 1 }
}
