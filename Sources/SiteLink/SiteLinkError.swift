/// The reasons why a link between a box and its site failed. Each error ends the link.
public enum SiteLinkError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A message's length is not valid.
    case wrongLength
    /// The link's version is one that this program does not speak.
    case unknownVersion
    /// A message's kind or a field is not valid, or the message is not allowed now.
    case protocolViolation
    /// The other side does not have the claimed key, or lacks the join code's secret.
    case handshakeFailed
    /// A message does not decrypt, or comes after the channel's end.
    case channelBroken
    /// The other side has ended the channel in order.
    case closedByPeer
    /// The handshake took too long, or no message came for too long.
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
