/// The reasons why a channel returned no message. Each error wipes the keys, and every later call throws `ended`.
public enum ChannelError: Error, Equatable, Sendable {
    /// The channel ended earlier.
    case ended
    /// A message exceeds the size limit, or is shorter than a message can be.
    case wrongLength
    /// A message was changed, forged, repeated or out of order, or one before it is missing.
    case authenticationFailed
    /// An authentic message has a kind that this version does not know.
    case unknownKind
    /// The peer closed the channel, and all its messages have arrived.
    case closedByPeer
    /// The channel has carried its maximum number of messages. A new handshake is due.
    case messageLimitReached
    /// The channel was too old, or idle for too long. A new handshake is due.
    case expired
}
