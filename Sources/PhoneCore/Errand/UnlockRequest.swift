/// What a PIN, or a key in its place, is needed for.
public struct UnlockRequest: Sendable, Equatable {
    public enum Purpose: Sendable, Equatable {
        /// The credential in this phone's vault.
        case phoneVault
        /// The credential that the box holds; it is sent there, as `PINRules` allow.
        case boxCredential(boxID: String)
    }

    public let purpose: Purpose
    /// Tries left before the credential is destroyed, where that is known.
    public let triesLeft: Int?
    /// Whether the answer before this one was wrong.
    public let isRepeated: Bool

    public init(purpose: Purpose, triesLeft: Int?, isRepeated: Bool) {
        self.purpose = purpose
        self.triesLeft = triesLeft
        self.isRepeated = isRepeated
    }

    /// Whether a wrong answer destroys the credential: to be said before it is given.
    public var isLastTry: Bool { triesLeft == 1 }
}
