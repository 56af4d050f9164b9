import Secrets

/// Why a handshake failed. For our own log only: the peer sees nothing but the link's end.
public enum HandshakeError: Error, Equatable, Sendable {
    /// A message, key or PSK has another length than the pattern gives it.
    case wrongLength
    /// A public key of low order.
    case invalidPublicKey
    /// A message that the expected peer did not make, or that was made for another prologue.
    case authenticationFailed

    init(_ error: SecretsError) {
        switch error {
        case .invalidPublicKey: self = .invalidPublicKey
        case .authenticationFailed: self = .authenticationFailed
        case .wrongLength, .outOfMemory, .invalidCost, .reservationUsed: self = .wrongLength
        }
    }
}
