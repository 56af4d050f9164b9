/// The reasons why a browser's answer about a passkey was refused. They contain none of its data.
public enum PasskeyError: Error, Equatable, Sendable {
    /// The data is not in WebAuthn's format.
    case malformed
    /// The answer belongs to the other ceremony, creating or using a passkey.
    case otherCeremony
    /// The challenge has expired, was used before, or belongs to another page or visitor.
    case staleChallenge
    /// The browser was at another page.
    case otherOrigin
    /// The authenticator signed for another host.
    case otherHost
    /// The authenticator did not verify the user.
    case notVerified
    /// The key is not a P-256 key for ES256.
    case otherAlgorithm
    /// The signature does not belong to that passkey.
    case wrongSignature
    /// The answer names another credential than the requested one.
    case otherCredential
    /// The counter did not rise, so a copy of the authenticator may exist.
    case counterWentBack
}
