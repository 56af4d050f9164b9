/// Messages in both directions over a link that may reorder and lose segments. Pure.
///
/// It has no clock and does no I/O: every call passes the time, and the caller performs the actions in order. After
/// `.end` it ignores all events.
public struct SegmentedLink: Sendable {
    public enum Event: Sendable {
        /// A message to send. `canSend` must be true.
        case send([UInt8])
        case segment([UInt8])
        /// The caller is ready for one more message.
        case receive
        /// The deadline may have passed.
        case timer
    }

    public enum Action: Sendable, Equatable {
        case transmit([UInt8])
        case deliver([UInt8])
        case end(SegmentError)
    }

    private var sender: SegmentSender
    private var receiver: SegmentReceiver
    private var lastAnswer: Duration?
    private var hasEnded = false

    /// - Parameter messageLimit: The longest message that is received, in bytes.
    public init(limits: SegmentLimits, messageLimit: Int = Segmentation.unauthenticatedMessageBytes) {
        sender = SegmentSender(segmentBytes: limits.sentBytes)
        receiver = SegmentReceiver(
            messageLimit: min(messageLimit, Segmentation.messageBytes), segmentLimitBytes: limits.receivedBytes)
    }

    /// Raises the limit after the other side is authenticated. The limit applies to all undelivered messages, so a
    /// message sent right after the authenticating one is not lost.
    public mutating func raiseMessageLimit(to bytes: Int) {
        receiver.messageLimit = max(receiver.messageLimit, min(bytes, Segmentation.messageBytes))
    }

    /// The number of outgoing bytes that wait to be sent.
    public var pendingBytes: Int { sender.pendingBytes }
    /// The number of bytes stored for the other side.
    public var keptBytes: Int { receiver.keptBytes }
    /// The number of messages whose last segment was handed out for transmission, since the link began.
    public var finishedMessages: Int { sender.finishedMessages }

    /// Returns whether a message of this length may be sent now. An empty queue takes any message up to
    /// `Segmentation.messageBytes`.
    public func canSend(_ bytes: Int) -> Bool {
        !hasEnded && bytes <= Segmentation.messageBytes && sender.canTake(bytes)
    }

    /// The time at which `.timer` is next due.
    public var deadline: Duration? {
        guard !hasEnded else { return nil }
        guard let first = sender.deadline else { return receiver.deadline }
        return receiver.deadline.map { min($0, first) } ?? first
    }

    public mutating func handle(_ event: Event, now: Duration) -> [Action] {
        guard !hasEnded else { return [] }
        var actions: [Action] = []
        do throws(SegmentError) {
            try perform(event, now, &actions)
            if let message = try receiver.takeMessage() { actions.append(.deliver(message)) }
            transmit(now, &actions)
            sender.updateTime(now)
        } catch {
            hasEnded = true
            actions.append(.end(error))
        }
        return actions
    }

    private mutating func perform(
        _ event: Event, _ now: Duration, _ actions: inout [Action]
    ) throws(SegmentError) {
        switch event {
        case .send(let message):
            try sender.append(message)
        case .receive:
            receiver.ask()
        case .timer:
            try receiver.checkTime(now)
            if try sender.wantsProbe(now) { actions.append(control(asks: true, now)) }
        case .segment(let bytes):
            switch try Segment(parsing: bytes) {
            case .data(let segment):
                try receiver.accept(segment, encoded: bytes, now: now)
                if let acknowledged = segment.acknowledged { try sender.handle(acknowledgement: acknowledged) }
            case .control(let acknowledged, let asks):
                try sender.handle(acknowledgement: acknowledged)
                if asks { answer(now, &actions) }
            }
        }
    }

    /// Answers a probe, at most once in each `Segmentation.probeAnswerInterval`.
    private mutating func answer(_ now: Duration, _ actions: inout [Action]) {
        if let lastAnswer, now < lastAnswer + Segmentation.probeAnswerInterval { return }
        lastAnswer = now
        actions.append(control(asks: false, now))
    }

    private mutating func transmit(_ now: Duration, _ actions: inout [Action]) {
        while let (bytes, acknowledges) = sender.next(acknowledging: receiver.taken, owed: receiver.owed) {
            if acknowledges { receiver.acknowledged(now) }
            actions.append(.transmit(bytes))
        }
        if receiver.owed >= Segmentation.ownAcknowledgementSegments {
            actions.append(control(asks: false, now))
        }
    }

    private mutating func control(asks: Bool, _ now: Duration) -> Action {
        receiver.acknowledged(now)
        return .transmit(
            Segment.control(acknowledged: UInt16(truncatingIfNeeded: receiver.taken), asks: asks).bytes)
    }
}
