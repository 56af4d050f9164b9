/// An error of a link or a radio.
public indirect enum LinkError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The link has ended: the other side left, went out of range, or `close` was called here.
    case closed
    /// The given time limit has passed.
    case timedOut
    /// The task that waited was cancelled.
    case cancelled
    /// The other side, or Bluetooth itself, does not accept us now.
    case refused
    /// The box is not in range.
    case notFound
    /// The bound on queued data or waiting callers was exceeded.
    case queueFull
    /// The message exceeds the longest allowed message.
    case messageTooLarge
    /// The other side violated the rules of segmentation.
    case segments(SegmentError)
    /// The radio cannot be used. The text gives the problem and its cure.
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

/// A violation of a segmentation rule. Each one ends the link.
public enum SegmentError: Error, Sendable, Equatable {
    /// The bytes are not a segment of this format.
    case malformed
    /// The sequence number is beyond the window, or too old.
    case outsideWindow
    /// A sequence number was repeated with different content.
    case repeatedWithOtherContent
    /// The bytes do not match the message's total, start a message inside another, or belong to no message.
    case overlap
    /// A message, or the data to keep, is longer than allowed at this stage.
    case tooLarge
    /// A missing segment did not arrive in time.
    case gapTimedOut
    /// The rest of a message did not arrive in time.
    case staleMessage
    /// The other side acknowledged a segment that was never sent.
    case badAcknowledgement
    /// The other side has acknowledged nothing for too long.
    case stalled
}
