import Links
import PhoneMessages
import Secrets
import SecureChannel

/// The phone's end of one link: segments below, handshake and channel in the middle, messages above.
///
/// ```
/// handshaking ──message 2──► open ──goodbye, error, link──► ended
/// ```
/// Instead of a channel, a link may carry one question and its answer in clear. The queue to the radio is bounded: the
/// link ends if radio or box stalls.
final class PhoneEnd {
    /// The meaning of a received message.
    enum Arrival: Sendable {
        /// The box has proved that it has its key.
        case established
        case message(BoxMessage)
        /// A message on a link without a handshake.
        case clear([UInt8])
        /// An authentic message that the protocol does not define.
        case unintelligible
    }

    /// The longest message from a box before it is authenticated, in bytes.
    private static let unauthenticatedBytes = 512
    /// The longest message from a box on a link without a handshake, in bytes.
    private static let clearBytes = 1_024
    /// The most segments that may wait for the radio: a window of data, and acknowledgements.
    private static let unwrittenLimit = 2 * Segmentation.windowSegments

    let carrier: Carrier
    private var segments: SegmentedLink
    private var handshake: InitiatorAwaitingReply<XChaChaPoly>?
    private var transport: ChannelTransport<XChaChaPoly>?
    private let isClear: Bool
    var conversation: ChannelConversation
    /// 32 bytes, the same on both sides; empty before the channel is open.
    private(set) var handshakeHash: [UInt8] = []
    /// True once phone or box has closed the channel, a message was not authentic, or the link has stalled.
    private(set) var hasEnded = false
    private var outgoing: [[UInt8]] = []
    private var unwritten = 0
    /// When the radio last took a segment, or when its empty queue last received one.
    private var lastWritten = Duration.zero

    /// Sends message 1, `first`, and waits for message 2.
    init(
        awaiting reply: consuming InitiatorAwaitingReply<XChaChaPoly>, first: [UInt8], on carrier: Carrier,
        _ capabilities: Capabilities, showing grant: ShownGrant? = nil, now: Duration
    ) {
        self.carrier = carrier
        conversation = ChannelConversation(capabilities, grant: grant)
        segments = SegmentedLink(limits: carrier.limits, messageLimit: Self.unauthenticatedBytes)
        isClear = false
        handshake = consume reply
        lastWritten = now
        _ = perform(.receive, now)
        put(first, now)
    }

    /// Asks a question in clear. No channel follows.
    init(asking question: [UInt8], on carrier: Carrier, now: Duration) {
        self.carrier = carrier
        conversation = ChannelConversation([])
        segments = SegmentedLink(limits: carrier.limits, messageLimit: Self.clearBytes)
        isClear = true
        lastWritten = now
        _ = perform(.receive, now)
        put(question, now)
    }

    // MARK: Sending

    /// Returns whether a message of that many bytes can be sent now, without waiting for the box.
    func hasRoom(for bytes: Int) -> Bool {
        transport != nil && !hasEnded && segments.canSend(bytes + ChannelMessage.overheadBytes)
    }

    /// True if the radio has taken all segments.
    var isWritten: Bool { unwritten == 0 && segments.pendingBytes == 0 }

    /// Encrypts and sends a request, after hello on a new channel. Returns the id of its answers.
    func send(_ request: consuming PhoneRequest, now: Duration) -> RequestID {
        let (messages, id) = conversation.open(request)
        for message in messages {
            guard !hasEnded, let body = try? message.encoded(), hasRoom(for: body.count),
                let sealed = try? transport?.seal(body, now: now)
            else {
                hasEnded = true
                break
            }
            put(sealed, now)
        }
        return id
    }

    private func put(_ message: [UInt8], _ now: Duration) {
        // Sending delivers no message, so there are no arrivals.
        _ = perform(.send(message), now)
    }

    func sayGoodbye(now: Duration) {
        guard !hasEnded, let goodbye = try? transport?.sealClose() else { return }
        if segments.canSend(goodbye.count) { put(goodbye, now) }
        hasEnded = true
    }

    /// Returns the segments for the radio.
    func takeSegments() -> [[UInt8]] {
        defer { outgoing = [] }
        return outgoing
    }

    /// Call this when the radio has taken a segment.
    func written(now: Duration) {
        unwritten = max(0, unwritten - 1)
        lastWritten = now
    }

    // MARK: Receiving

    func receive(_ segment: [UInt8], now: Duration) -> [Arrival] {
        guard !hasEnded else { return [] }
        return perform(.segment(segment), now)
    }

    /// When `timeHasCome` is next due.
    var deadline: Duration? {
        guard !hasEnded else { return nil }
        let stalled = unwritten > 0 ? lastWritten + Segmentation.stallLimit : nil
        guard let next = segments.deadline else { return stalled }
        return stalled.map { min($0, next) } ?? next
    }

    func timeHasCome(now: Duration) -> [Arrival] {
        guard !hasEnded else { return [] }
        if unwritten > 0, now >= lastWritten + Segmentation.stallLimit { return end() }
        guard let deadline = segments.deadline, now >= deadline else { return [] }
        return perform(.timer, now)
    }

    private func perform(_ event: SegmentedLink.Event, _ now: Duration) -> [Arrival] {
        var arrivals: [Arrival] = []
        var actions = segments.handle(event, now: now)
        while !actions.isEmpty {
            var isDelivered = false
            for action in actions {
                switch action {
                case .transmit(let segment):
                    guard unwritten < Self.unwrittenLimit else { return arrivals + end() }
                    if unwritten == 0 { lastWritten = now }
                    unwritten += 1
                    outgoing.append(segment)
                case .deliver(let message):
                    arrivals += open(message, now)
                    isDelivered = true
                case .end: return arrivals + end()
                }
            }
            guard isDelivered, !hasEnded else { break }
            actions = segments.handle(.receive, now: now)
        }
        return arrivals
    }

    private func open(_ message: [UInt8], _ now: Duration) -> [Arrival] {
        if isClear { return [.clear(message)] }
        if let waiting = handshake.take() {
            guard let opened = try? waiting.readMessage2(message, now: now) else { return end() }
            handshakeHash = opened.handshakeHash
            transport = consume opened
            segments.raiseMessageLimit(to: ChannelMessage.messageBytesLimit)
            return [.established]
        }
        guard let body = try? transport?.open(message, now: now) else { return end() }
        guard let decoded = body.withBytes({ try? BoxMessage.decode($0) }) else { return [.unintelligible] }
        return [.message(decoded)]
    }

    private func end() -> [Arrival] {
        hasEnded = true
        return []
    }
}
