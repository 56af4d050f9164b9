/// Why a link, or a radio, could not do what it was asked.
public indirect enum LinkError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The link has ended: the other side left, went out of range, or `close` was called here.
    case closed
    /// The time limit that was given has passed.
    case timedOut
    /// The task that waited was cancelled.
    case cancelled
    /// The other side, or Bluetooth itself, does not take us now.
    case refused
    /// No such box in range.
    case notFound
    /// More waits to be sent, or more callers wait, than the bound allows.
    case queueFull
    /// The message is longer than a message may be.
    case messageTooLarge
    /// The other side broke the rules of segmentation.
    case segments(SegmentError)
    /// The radio cannot be used: what is wrong and what to do.
    case radio(String)

    public var description: String {
        switch self {
        case .closed: "the connection has ended; go nearer and try again"
        case .timedOut: "no answer in time; go nearer and try again"
        case .cancelled: "cancelled"
        case .refused: "the box does not accept connections now; try again in a moment"
        case .notFound: "no such box in range; go nearer, and check that it is switched on"
        case .queueFull: "too much is waiting to be sent; try again in a moment"
        case .messageTooLarge: "the message is too long"
        case .segments(let error): "the other side broke the protocol (\(error)); update both sides"
        case .radio(let text): text
        }
    }
}

/// A rule of segmentation that was broken. Each one ends the link.
public enum SegmentError: Error, Sendable, Equatable {
    /// Not a segment of this format.
    case malformed
    /// A sequence number that was not granted, or one from long ago.
    case outsideWindow
    /// A sequence number came again with other content.
    case repeatedWithOtherContent
    /// More bytes than the message's total, a message inside a message, or bytes of none.
    case overlap
    /// A message, or what has to be kept, is longer than allowed at this stage.
    case tooLarge
    /// A missing segment did not come in time.
    case gapTimedOut
    /// The rest of a message did not come in time.
    case staleMessage
    /// The other side acknowledges what was never sent.
    case badAcknowledgement
    /// The other side has let nothing through for too long.
    case stalled
}
