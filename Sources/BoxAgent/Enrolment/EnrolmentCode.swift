import AgentCore
import Secrets
import SecureChannel

/// A new one-time code: its public id and its secret.
struct EnrolmentCode {
    /// Bytes of the secret: a full-strength key, so that nobody can search for it.
    static let pskBytes = 32

    let id: [UInt8]
    let psk: HeldSecret

    init() {
        id = randomBytes(count: FirstMessage.codeIDBytes)
        psk = HeldSecret(SecretBytes(randomCount: Self.pskBytes))
    }

    /// The code as people scan it; secret, since it carries the PSK.
    func uri(keys: BoxKeys, user: [UInt8]) throws(EnrolmentURIError) -> HeldSecret {
        let uri = try EnrolmentURI(
            authorityKey: keys.authorityPublicKey, boxKey: keys.publicKey, codeID: id, psk: psk.bytes.copy(),
            boxID: keys.boxID, user: user)
        return HeldSecret(uri.format())
    }
}
