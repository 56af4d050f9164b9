import AgentCore
import Links
import PhoneMessages
import Secrets
import SecureChannel

/// A peer that follows no rule, with real segments, handshake and channel. It sends anything at any time, and may stop
/// receiving after the handshake.
final class Intruder {
    private var segments = SegmentedLink(limits: WorldLink.limits, messageLimit: Segmentation.messageBytes)
    private var handshake: InitiatorAwaitingReply<XChaChaPoly>?
    private var transport: ChannelTransport<XChaChaPoly>?
    private var outgoing: [[UInt8]] = []
    private let acknowledges: Bool
    private(set) var lastRequest: UInt32 = 0
    /// The elevation request that the box shows.
    private(set) var elevation: ElevationID?

    /// - Parameter acknowledges: False if the peer stops receiving after the handshake, so that the box's window shuts.
    init(acknowledges: Bool) {
        self.acknowledges = acknowledges
        _ = segments.handle(.receive, now: .zero)
    }

    var isConnected: Bool { transport != nil }

    /// Sends message 1 with the private key `key`. With a code, the handshake is one for an enrolment.
    func shake(_ keys: BoxKeys, key: [UInt8], code: (id: [UInt8], psk: [UInt8])? = nil, now: Duration) {
        guard let own = try? X25519KeyPair(privateKey: SecretBytes(copying: key)) else { return }
        if let code {
            let prologue = HandshakePrologue.enrol(
                binding: WorldLink.binding, identity: keys.identity, codeID: code.id)
            guard
                let step = try? InitiatorStart<XChaChaPoly>(
                    prologue: prologue.bytes, staticKey: own, remoteStatic: keys.publicKey,
                    psk: SecretBytes(copying: code.psk)
                ).writeMessage1()
            else { return }
            let first = FirstMessage.enrol(codeID: code.id, message1: step.message)
            keep(step.next)
            put(first.bytes, now)
        } else {
            let prologue = HandshakePrologue.channel(binding: WorldLink.binding, identity: keys.identity)
            guard
                let step = try? InitiatorStart<XChaChaPoly>(
                    prologue: prologue.bytes, staticKey: own, remoteStatic: keys.publicKey
                ).writeMessage1()
            else { return }
            let first = FirstMessage.channel(message1: step.message)
            keep(step.next)
            put(first.bytes, now)
        }
    }

    private func keep(_ next: consuming InitiatorAwaitingReply<XChaChaPoly>) { handshake = consume next }

    /// Sends a whole message of any bytes.
    func put(_ message: [UInt8], _ now: Duration) {
        if segments.canSend(message.count) { perform(.send(message), now) }
    }

    /// Sends any bytes that a link can carry.
    func throwIn(_ segment: [UInt8]) { outgoing.append(segment) }

    func say(_ request: PhoneRequest, _ now: Duration) {
        lastRequest += 1
        guard let id = RequestID(rawValue: lastRequest), segments.canSend(200),
            let body = try? PhoneRequestMessage(id: id, request: request).encoded(),
            let sealed = try? transport?.seal(body, now: now)
        else { return }
        put(sealed, now)
    }

    func takeSegments() -> [[UInt8]] {
        defer { outgoing = [] }
        return outgoing
    }

    func receive(_ segment: [UInt8], _ now: Duration) { perform(.segment(segment), now) }

    private func perform(_ event: SegmentedLink.Event, _ now: Duration) {
        for action in segments.handle(event, now: now) {
            switch action {
            case .transmit(let segment): outgoing.append(segment)
            case .deliver(let message):
                open(message, now)
                if acknowledges || transport == nil { perform(.receive, now) }
            case .end: break
            }
        }
    }

    private func open(_ message: [UInt8], _ now: Duration) {
        if let waiting = handshake.take() {
            guard let opened = try? waiting.readMessage2(message, now: now) else { return }
            transport = consume opened
            return
        }
        guard let body = try? transport?.open(message, now: now),
            case .elevation(let prompt)? = body.withBytes({ try? BoxMessage.decode($0) })
        else { return }
        elevation = prompt.id
    }
}
