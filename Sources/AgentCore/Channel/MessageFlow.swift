import Links

/// Messages over the segments of one link. Pure.
///
/// The radio gets one message at a time, and the phone is asked for one at a time. A phone that acknowledges nothing,
/// or floods, is thus held back by its own window.
struct MessageFlow: Sendable {
    /// The most segments that may wait for the radio: one window, plus acknowledgements.
    private static let unwrittenLimit = 2 * Segmentation.windowSegments
    /// The link ends if it does not accept a message within this time.
    private static let sendLimit = Segmentation.stallLimit

    private var segments: SegmentedLink
    /// For each segment that the radio has not taken: the number of messages written once the radio takes the segment.
    private var unwritten: [Int] = []
    private var messagesSent = 0
    private var messagesWritten = 0
    private var sendDeadline: Duration?
    private var outgoing: [[UInt8]] = []
    /// True once the link neither sends nor receives. Messages that arrived completely are still delivered.
    private(set) var isDown = false
    /// True if the phone's violation or silence brought the link down. Nothing more is delivered.
    private(set) var isBroken = false

    /// - Parameter messageLimit: The longest message that is received, in bytes, until `raiseMessageLimit`.
    init(limits: SegmentLimits, messageLimit: Int) {
        segments = SegmentedLink(limits: limits, messageLimit: messageLimit)
    }

    /// Raises the limit after the phone is authenticated.
    mutating func raiseMessageLimit(to bytes: Int) {
        segments.raiseMessageLimit(to: bytes)
    }

    /// Returns whether a message is on its way to the radio.
    var isWriting: Bool { messagesWritten < messagesSent }
    /// The number of the phone's bytes stored here.
    var keptBytes: Int { segments.keptBytes }
    /// The number of outgoing segments that the radio has not taken.
    var unwrittenCount: Int { unwritten.count }

    var deadline: Duration? {
        guard !isDown else { return nil }
        // No arrays here, for speed: this code runs for every segment.
        guard let next = segments.deadline else { return sendDeadline }
        return sendDeadline.map { min($0, next) } ?? next
    }

    /// Gives a message to the radio. No other message may be on its way.
    mutating func send(_ message: [UInt8], now: Duration) {
        guard !isDown, segments.canSend(message.count) else { return breakOff() }
        messagesSent += 1
        sendDeadline = now + Self.sendLimit
        // Ignore the empty result: a complete incoming message that was asked for was delivered earlier.
        _ = perform(.send(message), now)
    }

    /// Asks for the next message. Returns it if it has already arrived.
    mutating func ask(now: Duration) -> [UInt8]? { perform(.receive, now) }

    /// Returns the message that this segment completes, if one was asked for.
    mutating func receive(_ segment: [UInt8], now: Duration) -> [UInt8]? {
        isDown ? nil : perform(.segment(segment), now)
    }

    /// Notes that the radio has taken the oldest segment that it was given.
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

    /// Returns the segments for the radio, and forgets them.
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
