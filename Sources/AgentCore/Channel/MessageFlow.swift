import Links

/// Messages over the segments of one link: one at a time is given to the radio, and one at a time is asked for, so that a
/// phone that acknowledges nothing, or floods, is held back by its own window. Pure.
struct MessageFlow: Sendable {
    /// Segments that may wait for the radio: a window, and acknowledgements.
    private static let unwrittenLimit = 2 * Segmentation.windowSegments
    /// A message that the link does not take in this time ends the link.
    private static let sendLimit = Segmentation.stallLimit

    private var segments: SegmentedLink
    /// Of each segment that the radio was given and has not taken: how many messages are wholly written once it is.
    private var unwritten: [Int] = []
    private var messagesSent = 0
    private var messagesWritten = 0
    private var sendDeadline: Duration?
    private var outgoing: [[UInt8]] = []
    /// The link takes and gives nothing any more. What arrived whole before is still given out.
    private(set) var isDown = false
    /// It is down for what the phone sent or did not take, and gives nothing out any more.
    private(set) var isBroken = false

    /// - Parameter messageLimit: The longest message that is received, in bytes, until `raiseMessageLimit`.
    init(limits: SegmentLimits, messageLimit: Int) {
        segments = SegmentedLink(limits: limits, messageLimit: messageLimit)
    }

    /// For when the phone has been authenticated.
    mutating func raiseMessageLimit(to bytes: Int) {
        segments.raiseMessageLimit(to: bytes)
    }

    /// Whether a message is on its way to the radio.
    var isWriting: Bool { messagesWritten < messagesSent }
    /// Bytes of the phone's that are kept here.
    var keptBytes: Int { segments.keptBytes }
    /// Segments of ours that the radio has not taken.
    var unwrittenCount: Int { unwritten.count }

    var deadline: Duration? {
        guard !isDown else { return nil }
        // Without arrays: every segment comes by here.
        guard let next = segments.deadline else { return sendDeadline }
        return sendDeadline.map { min($0, next) } ?? next
    }

    /// Gives a message to the radio, when none is on its way.
    mutating func send(_ message: [UInt8], now: Duration) {
        guard !isDown, segments.canSend(message.count) else { return breakOff() }
        messagesSent += 1
        sendDeadline = now + Self.sendLimit
        // Nothing is completed by this: what was asked for and is whole was given out before.
        _ = perform(.send(message), now)
    }

    /// Asks for the next message; it, where it is there already.
    mutating func ask(now: Duration) -> [UInt8]? { perform(.receive, now) }

    /// The message that a segment completes, where one was asked for.
    mutating func receive(_ segment: [UInt8], now: Duration) -> [UInt8]? {
        isDown ? nil : perform(.segment(segment), now)
    }

    /// The radio has taken the oldest segment that it was given.
    mutating func written() {
        guard !unwritten.isEmpty else { return }
        messagesWritten = max(messagesWritten, unwritten.removeFirst())
        if !isWriting { sendDeadline = nil }
    }

    mutating func linkIsDown() {
        isDown = true
        outgoing = []
    }

    private mutating func breakOff() {
        isBroken = true
        linkIsDown()
    }

    mutating func timeHasCome(now: Duration) {
        guard !isDown else { return }
        if let sendDeadline, now >= sendDeadline { return breakOff() }
        _ = perform(.timer, now)
    }

    /// What the radio is to be given.
    mutating func takeSegments() -> [[UInt8]] {
        defer { outgoing = [] }
        return outgoing
    }

    private mutating func perform(_ event: SegmentedLink.Event, _ now: Duration) -> [UInt8]? {
        var delivered: [UInt8]?
        var transmitted: [[UInt8]] = []
        for action in segments.handle(event, now: now) {
            switch action {
            case .transmit(let segment): transmitted.append(segment)
            case .deliver(let message): delivered = message
            case .end: breakOff()
            }
        }
        guard !isDown, !transmitted.isEmpty else { return delivered }
        guard unwritten.count + transmitted.count <= Self.unwrittenLimit else {
            breakOff()
            return delivered
        }
        for _ in transmitted.dropLast() { unwritten.append(messagesWritten) }
        unwritten.append(segments.finishedMessages)
        outgoing += transmitted
        return delivered
    }
}
