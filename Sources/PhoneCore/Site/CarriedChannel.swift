import PhoneMessages
import Secrets
import SecureChannel

/// The phone's end of the channel for its enrolment at a site: Noise IKpsk1 to the site's key. The box that carries the
/// messages can neither read nor forge them. Unlike `PhoneEnd`, it needs no segments, because messages arrive whole.
final class CarriedChannel {
    enum Arrival: Sendable {
        case established
        case message(BoxMessage)
        /// The site has ended the channel, or a message was not authentic.
        case ended
    }

    private var handshake: InitiatorAwaitingReply<XChaChaPoly>?
    private var transport: ChannelTransport<XChaChaPoly>?
    private(set) var conversation = ChannelConversation([])
    /// 32 bytes; empty before the channel is open.
    private(set) var handshakeHash: [UInt8] = []

    private init(_ handshake: consuming InitiatorAwaitingReply<XChaChaPoly>) {
        self.handshake = consume handshake
    }

    /// Returns the channel and its first message, or nil if the site's key is not valid.
    static func begin(
        _ code: SiteCode, key: borrowing X25519KeyPair
    ) -> (channel: CarriedChannel, first: [UInt8])? {
        guard
            let start = try? InitiatorStart<XChaChaPoly>(
                prologue: SiteEnrolmentCode.prologue(site: code.site, codeID: code.codeID), staticKey: key,
                remoteStatic: code.siteKey, psk: code.secret.bytes),
            let step = try? start.writeMessage1()
        else { return nil }
        let first = FirstMessage.enrol(codeID: code.codeID, message1: step.message)
        return (CarriedChannel(step.next), first.bytes)
    }

    func receive(_ message: [UInt8], now: Duration) -> Arrival {
        if let waiting = handshake.take() {
            guard let opened = try? waiting.readMessage2(message, now: now) else { return .ended }
            handshakeHash = opened.handshakeHash
            transport = consume opened
            return .established
        }
        guard let body = try? transport?.open(message, now: now),
            let decoded = body.withBytes({ try? BoxMessage.decode($0) })
        else { return .ended }
        return .message(decoded)
    }

    /// Returns the encrypted messages that send `request`, after hello on a new channel, and the id of the answers.
    /// Returns nil if the channel is not open.
    func ask(_ request: PhoneRequest, now: Duration) -> (messages: [[UInt8]], id: RequestID)? {
        let (messages, id) = conversation.open(request)
        var sealed: [[UInt8]] = []
        for message in messages {
            guard let body = try? message.encoded(), let bytes = try? transport?.seal(body, now: now) else {
                return nil
            }
            sealed.append(bytes)
        }
        return (sealed, id)
    }

    func sort(_ message: BoxMessage, current: RequestID?) -> ChannelConversation.Delivery {
        conversation.sort(message, current: current)
    }
}
