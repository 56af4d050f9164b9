import AgentCore
import Secrets
import SecureChannel

/// A new one-time code: its public ID and its secret.
struct EnrolmentCode {
    /// Length of the secret, in bytes: a full-strength key, so that it cannot be guessed.
    static let pskBytes = 32

    let id: [UInt8]
    let psk: HeldSecret

    init() {
        id = randomBytes(count: FirstMessage.codeIDBytes)
        psk = HeldSecret(SecretBytes(randomCount: Self.pskBytes))
    }

    /// Returns the URI that people scan. It contains the PSK, so it is secret.
    func uri(keys: BoxKeys, user: [UInt8]) throws(EnrolmentURIError) -> HeldSecret {
        let uri = try EnrolmentURI(
            authorityKey: keys.authorityPublicKey, boxKey: keys.publicKey, codeID: id, psk: psk.bytes.copy(),
            boxID: keys.boxID, user: user)
        return HeldSecret(uri.format())
    }
}
