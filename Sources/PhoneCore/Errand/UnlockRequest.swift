/// A request to the person for a PIN, or for a key that replaces it.
public struct UnlockRequest: Sendable, Equatable {
    public enum Purpose: Sendable, Equatable {
        /// The credential in this phone's vault.
        case phoneVault
        /// The box-held credential. The PIN is sent to the box, as `PINRules` allow.
        case boxCredential(boxID: String)
    }

    public let purpose: Purpose
    /// The tries left before the credential is destroyed, if known.
    public let triesLeft: Int?
    /// True if the previous answer was wrong.
    public let isRepeated: Bool

    public init(purpose: Purpose, triesLeft: Int?, isRepeated: Bool) {
        self.purpose = purpose
        self.triesLeft = triesLeft
        self.isRepeated = isRepeated
    }

    /// True if a wrong answer destroys the credential. Warn before asking.
    public var isLastTry: Bool { triesLeft == 1 }
}
