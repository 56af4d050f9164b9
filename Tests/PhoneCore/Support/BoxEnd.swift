import Links
import PhoneMessages
import Secrets
import SecureChannel
import Wire

/// The box's end of one link, with real segments, handshake and channel. The test moves the clock.
final class BoxEnd {
    let box: ModelBox
    private var segments = SegmentedLink(limits: SegmentLimits(sentBytes: 100, receivedBytes: 100))
    private var transport: ChannelTransport<XChaChaPoly>?
    private var outgoing: [[UInt8]] = []
    private(set) var isClosed = false
    /// The key that message 1 claimed.
    private var phone: [UInt8] = []

    init(_ box: ModelBox) {
        self.box = box
        _ = segments.handle(.receive, now: .zero)
    }

    var hasSegments: Bool { !outgoing.isEmpty }

    /// Returns the outgoing segments since the last call, oldest first.
    func takeSegments() -> [[UInt8]] {
        defer { outgoing = [] }
        return outgoing
    }

    func receive(_ segment: [UInt8], now: Duration) {
        perform(.segment(segment), now)
    }

    func say(_ message: BoxMessage, now: Duration) {
        guard let body = try? message.encoded(), let sealed = try? transport?.seal(body, now: now),
            segments.canSend(sealed.count)
        else { return }
        perform(.send(sealed), now)
    }

    /// Ends the channel like a box that has nothing more to send.
    func sayGoodbye(now: Duration) {
        guard let goodbye = try? transport?.sealClose() else { return }
        perform(.send(goodbye), now)
        isClosed = true
    }

    private func perform(_ event: SegmentedLink.Event, _ now: Duration) {
        guard !isClosed else { return }
        for action in segments.handle(event, now: now) {
            switch action {
            case .transmit(let segment): outgoing.append(segment)
            case .deliver(let message):
                open(message, now)
                perform(.receive, now)
            case .end: isClosed = true
            }
        }
    }

    private func open(_ message: [UInt8], _ now: Duration) {
        guard transport != nil else { return shake(message, now) }
        guard let body = try? transport?.open(message, now: now),
            let request = body.withBytes({ try? PhoneRequestMessage.decode($0) })
        else {
            isClosed = true
            return
        }
        box.heard(request, on: self, now: now)
    }

    private func shake(_ message: [UInt8], _ now: Duration) {
        if let request = DocumentRequest(parsing: message) {
            box.documentsWanted.append(request.shown)
            guard let document = box.document(request.shown) else { return isClosed = true }
            return perform(.send(document), now)
        }
        guard case .channel(let message1)? = try? FirstMessage(parsing: message), let identity = try? box.identity,
            let key = try? X25519KeyPair(privateKey: box.privateKey.copy()),
            let ready = try? ResponderStart<XChaChaPoly>(
                prologue: HandshakePrologue.channel(binding: ModelBox.binding, identity: identity).bytes,
                staticKey: key
            ).readMessage1(message1),
            let step = try? ready.writeMessage2(now: now)
        else {
            isClosed = true
            return
        }
        let second = step.message
        stand(step.transport)
        segments.raiseMessageLimit(to: ChannelMessage.messageBytesLimit)
        perform(.send(second), now)
    }

    private func stand(_ opened: consuming ChannelTransport<XChaChaPoly>) {
        transport = consume opened
    }
}
