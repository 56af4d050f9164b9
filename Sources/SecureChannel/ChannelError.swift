/// Why a channel gave no message. After any of these the channel has ended for good: its keys are wiped, and every
/// later call says `ended`.
public enum ChannelError: Error, Equatable, Sendable {
    /// The channel ended earlier.
    case ended
    /// A message over the size limit, or shorter than a message can be.
    case wrongLength
    /// A message that the peer did not send, or not now: changed, repeated, out of order, or one before it is
    /// missing.
    case authenticationFailed
    /// An authentic message of a kind that this version does not know.
    case unknownKind
    /// The peer closed the channel: nothing it sent is missing.
    case closedByPeer
    /// The channel has carried as many messages as it may; a new handshake is due.
    case messageLimitReached
    /// The channel is older, or was idle longer, than it may be; a new handshake is due.
    case expired
}
