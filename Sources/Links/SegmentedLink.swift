/// Messages over a link that may reorder and lose segments: both directions of one link, pure.
///
/// It knows no clock and does no I/O: every call brings the time, and the caller performs the actions in their order.
/// After `.end` it is dead and answers nothing.
public struct SegmentedLink: Sendable {
    public enum Event: Sendable {
        /// A message of ours; `canSend` must be true.
        case send([UInt8])
        /// A segment that arrived.
        case segment([UInt8])
        /// The caller can use the next message. Each asks for one.
        case receive
        /// The deadline has come, or may have.
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

    /// For when the other side has been authenticated. It counts for every message not yet delivered, so nothing is
    /// lost that came right behind the message which authenticated it.
    public mutating func raiseMessageLimit(to bytes: Int) {
        receiver.messageLimit = max(receiver.messageLimit, min(bytes, Segmentation.messageBytes))
    }

    /// Bytes of ours that wait to be sent.
    public var pendingBytes: Int { sender.pendingBytes }
    /// Bytes of the other side's that are kept here.
    public var keptBytes: Int { receiver.keptBytes }
    /// Messages of ours that were handed over wholly, since the beginning.
    public var finishedMessages: Int { sender.finishedMessages }

    /// Whether a message of this length may be sent now; a message alone always may, up to `Segmentation.messageBytes`.
    public func canSend(_ bytes: Int) -> Bool {
        !hasEnded && bytes <= Segmentation.messageBytes && sender.canTake(bytes)
    }

    /// When `.timer` is next due.
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

    /// Answers a question, but not a flood of them.
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
