/// Why a browser's answer about a passkey was refused. Carries nothing of what was sent.
public enum PasskeyError: Error, Equatable, Sendable {
    /// It is not what WebAuthn has browsers say.
    case malformed
    /// It answers another kind of question: making for using, or the other way round.
    case otherCeremony
    /// Its challenge is not of this page, of this visitor, of this time; or it was answered before.
    case staleChallenge
    /// The browser was at another page.
    case otherOrigin
    /// The authenticator signed for another host.
    case otherHost
    /// The authenticator did not make sure who the person is.
    case notVerified
    /// No key on P-256 for ES256.
    case otherAlgorithm
    /// The signature is not of that passkey.
    case wrongSignature
    /// The credential that is named is another one than was asked for.
    case otherCredential
    /// The counter did not rise: there are two of that authenticator.
    case counterWentBack
}
