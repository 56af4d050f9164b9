import Links
import Names
import PhoneMessages
import Secrets
import SecureChannel
import VaultPort

@testable import AgentCore

/// The phone's end of a link with real segments, handshake and channel. Tests choose its messages.
final class TestPhone {
    private var segments = SegmentedLink(limits: BoxEndBench.limits, messageLimit: Segmentation.messageBytes)
    private var handshake: InitiatorAwaitingReply<XChaChaPoly>?
    private var transport: ChannelTransport<XChaChaPoly>?
    private var outgoing: [[UInt8]] = []
    private(set) var heard: [BoxMessage] = []
    /// True if the box has sent the end of messages, which proves that nothing was cut off.
    private(set) var isClosed = false
    private(set) var handshakeHash: [UInt8] = []

    init() { _ = segments.handle(.receive, now: .zero) }

    /// Sends message 1, with the secret of a code if the phone enrols.
    func start(_ keys: BoxKeys, code: (id: [UInt8], psk: HeldSecret)? = nil, now: Duration) throws {
        let own = X25519KeyPair()
        let first: FirstMessage
        if let code {
            let prologue = HandshakePrologue.enrol(
                binding: BoxEndBench.binding, identity: keys.identity, codeID: code.id)
            let step = try InitiatorStart<XChaChaPoly>(
                prologue: prologue.bytes, staticKey: own, remoteStatic: keys.publicKey, psk: code.psk.bytes
            ).writeMessage1()
            first = .enrol(codeID: code.id, message1: step.message)
            keep(step.next)
        } else {
            let prologue = HandshakePrologue.channel(binding: BoxEndBench.binding, identity: keys.identity)
            let step = try InitiatorStart<XChaChaPoly>(
                prologue: prologue.bytes, staticKey: own, remoteStatic: keys.publicKey
            ).writeMessage1()
            first = .channel(message1: step.message)
            keep(step.next)
        }
        put(first.bytes, now)
    }

    private func keep(_ next: consuming InitiatorAwaitingReply<XChaChaPoly>) { handshake = consume next }

    func put(_ message: [UInt8], _ now: Duration) { perform(.send(message), now) }

    func ask(_ number: UInt32, _ request: PhoneRequest, _ now: Duration) throws {
        guard let id = RequestID(rawValue: number) else { return }
        let body = try PhoneRequestMessage(id: id, request: request).encoded()
        if let sealed = try transport?.seal(body, now: now) { put(sealed, now) }
    }

    func hello(_ now: Duration) throws {
        try ask(1, .hello(versions: [MessageLimits.protocolVersion], capabilities: []), now)
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
                perform(.receive, now)
            case .end: break
            }
        }
    }

    private func open(_ message: [UInt8], _ now: Duration) {
        if let waiting = handshake.take() {
            guard let opened = try? waiting.readMessage2(message, now: now) else { return }
            handshakeHash = opened.handshakeHash
            transport = consume opened
            return
        }
        do throws(ChannelError) {
            guard let body = try transport?.open(message, now: now),
                let decoded = body.withBytes({ try? BoxMessage.decode($0) })
            else { return }
            heard.append(decoded)
        } catch {
            isClosed = error == .closedByPeer
        }
    }
}

/// The box's end of a link, a test phone, and a radio that a test can pause. The test moves the clock.
final class BoxEndBench {
    static let binding: [UInt8] = [0x4D]
    static let limits = SegmentLimits(sentBytes: 100, receivedBytes: 100)

    let keys: BoxKeys
    let end: BoxEnd
    let phone = TestPhone()
    var now = Duration.seconds(1_000)
    /// True if the radio takes each segment at once.
    var takesSegments = true
    private(set) var held: [[UInt8]] = []
    private(set) var finds = 0
    private(set) var reads = 0
    private(set) var pings: [Int] = []
    private(set) var told: [ChannelEvent] = []
    private(set) var closed: ChannelEnd?

    init() throws {
        let authority = try Ed25519KeyPair(seed: SecretBytes(randomCount: 32))
        keys = try BoxKeys(staticKey: X25519KeyPair(), authority: authority, boxID: Array("1234".utf8), serial: 1)
        end = BoxEnd(keys, binding: Self.binding, limits: Self.limits, now: now)
    }

    func feed(_ event: BoxEndEvent) {
        for action in end.handle(event, now: now) {
            switch action {
            case .write(let segment): held.append(segment)
            case .find: finds += 1
            case .read: reads += 1
            case .tell(let event): told.append(event)
            case .waitForPing(let bytes): pings.append(bytes)
            case .close(let reason): closed = reason
            }
        }
        while takesSegments, !held.isEmpty { take() }
    }

    /// Delivers the box's oldest segment to the phone, as when the radio has taken the segment.
    func take() {
        phone.receive(held.removeFirst(), now)
        feed(.written)
    }

    /// Brings the phone's segments to the box.
    func carry() {
        for segment in phone.takeSegments() { feed(.segment(segment)) }
    }

    func wait(_ duration: Duration) {
        now += duration
        feed(.time)
    }

    /// Connects the phone up to the point where the agent has learned which device it is.
    func prove(_ sheet: DeviceSheet = Sample.sheet()) throws {
        try phone.start(keys, now: now)
        carry()
        feed(.found(sheet.record))
        try phone.hello(now)
        carry()
        feed(.read(sheet))
    }

    /// Connects the phone up to the point where the agent has heard its hello.
    func connect() throws {
        try prove()
        feed(.admit)
        feed(.heard)
        feed(.heard)
    }

    func ask(_ number: UInt32, _ request: PhoneRequest) throws {
        try phone.ask(number, request, now)
        carry()
    }

    /// The ids of the requests that were passed to the agent.
    var asked: [UInt32] {
        told.compactMap { if case .asked(let message) = $0 { message.id.rawValue } else { nil } }
    }
}
