import Secrets

/// The reasons why a handshake failed. The reason goes only into this side's log; the peer just sees the link end.
public enum HandshakeError: Error, Equatable, Sendable {
    /// The length of a message, key or PSK is not valid for the pattern.
    case wrongLength
    /// A public key of low order.
    case invalidPublicKey
    /// A message does not come from the expected peer, or was made for another prologue.
    case authenticationFailed

    init(_ error: SecretsError) {
        switch error {
        case .invalidPublicKey: self = .invalidPublicKey
        case .authenticationFailed: self = .authenticationFailed
        case .wrongLength, .outOfMemory, .invalidCost, .reservationUsed: self = .wrongLength
        }
    }
}
