/// Why a link between a box and its site ended, or did not come about. Each ends the link.
public enum SiteLinkError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A message with another length than it may have.
    case wrongLength
    /// A version of the link that this program does not speak.
    case unknownVersion
    /// A message of a kind or with a field that there is not, or one that is not due.
    case protocolViolation
    /// The other side is not who it says, or has not the join code's secret.
    case handshakeFailed
    /// A message that does not decrypt, or comes after the channel's end.
    case channelBroken
    /// The other side has ended the channel in order.
    case closedByPeer
    /// The handshake was not over in time, or nothing came for too long.
    case timedOut

    public var description: String {
        switch self {
        case .wrongLength: "a message had an invalid length"
        case .unknownVersion: "the other side uses a newer version; update this program"
        case .protocolViolation: "the other side broke the protocol"
        case .handshakeFailed: "the handshake failed: the key differs, or the join code is not valid"
        case .channelBroken: "a message could not be decrypted"
        case .closedByPeer: "the other side ended the connection"
        case .timedOut: "the other side did not answer in time"
        }
    }
}
