import PhoneMessages
import Secrets
import SecureChannel

/// An event of a site's end of an enrolment channel.
public enum SiteEnrolmentEvent: Sendable, Equatable {
    /// One message for the phone. Messages are sent in order.
    case write([UInt8])
    /// The phone has proved that it has this key (X25519, 32 bytes) and the secret of the code with this id.
    /// `handshakeHash` has 32 bytes and is unique to this handshake.
    case proved(phoneKey: [UInt8], codeID: [UInt8], handshakeHash: [UInt8])
    case said(EnrolmentRequest)
    /// The channel is over.
    case ended
}

/// A phone's request to its site in this channel. All other messages end the channel.
public enum EnrolmentRequest: Sendable, Equatable {
    case hello(RequestID, versions: [UInt8])
    case enrol(RequestID, EnrolRequest)
    case reveal(RequestID, nonce: [UInt8])
    /// Asks for the outcome of this phone's enrolment, in case the phone did not receive the outcome.
    case outcome(RequestID)

    init?(_ message: PhoneRequestMessage) {
        switch message.request {
        case .hello(let versions, _, nil): self = .hello(message.id, versions: versions)
        case .enrol(let request): self = .enrol(message.id, request)
        case .reveal(let nonce): self = .reveal(message.id, nonce: nonce)
        case .enrolment: self = .outcome(message.id)
        default: return nil
        }
    }
}

/// The site's end of the channel in which a phone is enrolled: Noise IKpsk1 to the site's key. A box carries the
/// messages and can neither read nor forge one. The type is pure.
///
/// ```
/// opening ─first message─► half-open ─first transport message decrypts─► open ─► over
/// ```
/// The site acts as the box does (docs/reference/protocol.md, 6, 7, 9), but messages are not split into segments.
public final class SiteEnrolmentEnd {
    /// Most messages of a phone in one enrolment: a handshake, hello, two or three requests and a close.
    public static let messageLimit = 16

    private enum Stage {
        case opening
        case halfOpen(phoneKey: [UInt8], codeID: [UInt8])
        case open
        case over
    }

    private let keys: SiteServerKeys
    private let site: [UInt8]
    private var stage = Stage.opening
    private var transport: ChannelTransport<XChaChaPoly>?
    private var count = 0

    /// - Parameter site: The site's id, 16 bytes.
    public init(_ keys: SiteServerKeys, site: [UInt8]) {
        self.keys = keys
        self.site = site
    }

    /// Takes a message and returns events. After `ended` it ignores all messages.
    public func receive(_ message: [UInt8], now: Duration) -> [SiteEnrolmentEvent] {
        count += 1
        guard count <= Self.messageLimit else { return over() }
        switch stage {
        case .opening: return answer(message, now)
        case .halfOpen(let phoneKey, let codeID):
            guard let hash = transport?.handshakeHash, let request = open(message, now) else { return over() }
            stage = .open
            return [.proved(phoneKey: phoneKey, codeID: codeID, handshakeHash: hash), .said(request)]
        case .open:
            guard let request = open(message, now) else { return over() }
            return [.said(request)]
        case .over: return []
        }
    }

    /// Returns the message that carries `answer`, or nil if the channel is not open.
    public func seal(_ answer: BoxMessage, now: Duration) -> [UInt8]? {
        guard case .open = stage, let plain = try? answer.encoded() else { return nil }
        return try? transport?.seal(plain, now: now)
    }

    /// Returns the message that ends the channel in order, or nil if the channel is not open.
    public func close() -> [UInt8]? {
        guard case .open = stage else { return nil }
        defer { _ = over() }
        return try? transport?.sealClose()
    }

    private func over() -> [SiteEnrolmentEvent] {
        if case .over = stage { return [] }
        stage = .over
        transport = nil
        return [.ended]
    }

    private func answer(_ message: [UInt8], _ now: Duration) -> [SiteEnrolmentEvent] {
        guard case .enrol(let codeID, let message1)? = try? FirstMessage(parsing: message),
            let secret = try? keys.enrolmentSecret(codeID: codeID),
            let ready = try? start(codeID, secret).readMessage1(message1)
        else { return over() }
        let phoneKey = ready.claimedRemoteStatic
        guard let step = try? ready.writeMessage2(now: now) else { return over() }
        let reply = step.message
        keep(step.transport)
        stage = .halfOpen(phoneKey: phoneKey, codeID: codeID)
        return [.write(reply)]
    }

    private func start(
        _ codeID: [UInt8], _ secret: borrowing SecretBytes
    ) throws(HandshakeError) -> ResponderStart<XChaChaPoly> {
        try ResponderStart(
            prologue: SiteEnrolmentCode.prologue(site: site, codeID: codeID), staticKey: keys.siteKey, psk: secret,
            pool: keys.pool)
    }

    private func keep(_ opened: consuming ChannelTransport<XChaChaPoly>) {
        transport = consume opened
    }

    private func open(_ message: [UInt8], _ now: Duration) -> EnrolmentRequest? {
        guard let plaintext = try? transport?.open(message, now: now),
            let decoded = plaintext.withBytes({ try? PhoneRequestMessage.decode($0) })
        else { return nil }
        return EnrolmentRequest(decoded)
    }
}
