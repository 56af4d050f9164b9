import GATTProfile
import Links
import PhoneMessages
import Secrets
import SecureChannel
import Testing

/// A phone and a box with the keys of `VectorKeys`, which talk through the real handshake and channel. Every sent byte
/// is added to the transcript, and the other side reads it.
struct VectorConversation: ~Copyable {
    private(set) var transcript = Transcript()
    private var phone: ChannelTransport<XChaChaPoly>
    private var box: ChannelTransport<XChaChaPoly>
    private var phoneLink: SegmentedLink
    private var boxLink: SegmentedLink
    private let now = Duration.seconds(1)

    /// Opens an enrolment channel if there is a code's id, else a login channel. The channel runs over L2CAP if `psm`
    /// is not 0, else over GATT. The default ATT_MTU of 185 bytes is what an older iPhone negotiates.
    init(
        enrolling codeID: [UInt8]?, phoneEphemeral: [UInt8], boxEphemeral: [UInt8], attMTU: Int = 185, psm: UInt16 = 0
    ) throws {
        if psm == 0 {
            let longest = Bearer.gatt.segmentLimitBytes
            phoneLink = SegmentedLink(
                limits: SegmentLimits(sentBytes: Bearer.gatt.segmentBytes(mtu: attMTU), receivedBytes: longest))
            boxLink = SegmentedLink(
                limits: SegmentLimits(sentBytes: Bearer.gatt.boxSegmentBytes(mtu: attMTU), receivedBytes: longest))
        } else {
            let longest = Bearer.l2cap.segmentLimitBytes
            phoneLink = SegmentedLink(limits: SegmentLimits(sentBytes: longest, receivedBytes: longest))
            boxLink = SegmentedLink(limits: SegmentLimits(sentBytes: longest, receivedBytes: longest))
        }
        let binding = psm == 0 ? BearerBinding.gatt.bytes : BearerBinding.l2cap(psm: psm).bytes
        let identity = try VectorKeys.identity().bytes
        let prologue =
            codeID.map { HandshakePrologue.enrol(binding: binding, identity: identity, codeID: $0) }
            ?? .channel(binding: binding, identity: identity)
        let boxKey = try VectorKeys.keyPair(VectorKeys.boxPrivate)
        let phoneKey = try VectorKeys.keyPair(VectorKeys.phonePrivate)
        let psk = SecretBytes(copying: VectorKeys.psk)
        transcript.add("prologue", prologue.bytes)
        transcript.add("phone's ephemeral private key", phoneEphemeral)
        transcript.add("box's ephemeral private key", boxEphemeral)

        let start: InitiatorStart<XChaChaPoly>
        if codeID == nil {
            start = try InitiatorStart(
                prologue: prologue.bytes, staticKey: phoneKey, remoteStatic: boxKey.publicKey)
        } else {
            start = try InitiatorStart(
                prologue: prologue.bytes, staticKey: phoneKey, remoteStatic: boxKey.publicKey, psk: psk)
        }
        let step = try start.writeMessage1(ephemeral: try VectorKeys.keyPair(phoneEphemeral))
        let message1 = step.message
        let first = codeID.map { FirstMessage.enrol(codeID: $0, message1: message1) } ?? .channel(message1: message1)
        transcript.add("phone: first message", first.bytes)
        try Self.carry("phone: first message", first.bytes, &phoneLink, &boxLink, now, &transcript)

        let answering: ResponderStart<XChaChaPoly>
        if codeID == nil {
            answering = try ResponderStart(prologue: prologue.bytes, staticKey: boxKey)
        } else {
            answering = try ResponderStart(prologue: prologue.bytes, staticKey: boxKey, psk: psk)
        }
        let ready = try answering.readMessage1(message1)
        #expect(ready.claimedRemoteStatic == phoneKey.publicKey)
        let reply = try ready.writeMessage2(ephemeral: try VectorKeys.keyPair(boxEphemeral), now: now)
        let message2 = reply.message
        transcript.add("box: message 2", message2)
        try Self.carry("box: message 2", message2, &boxLink, &phoneLink, now, &transcript)
        phone = try step.next.readMessage2(message2, now: now)
        box = reply.transport
        #expect(phone.handshakeHash == box.handshakeHash)
        transcript.add("handshake hash", phone.handshakeHash)
    }

    /// Sends the enrol request, with the commitment to a nonce.
    mutating func phoneCommits(to nonce: [UInt8]) throws {
        let commitment = EnrolmentCommitment.of(nonce: nonce, handshakeHash: phone.handshakeHash)
        transcript.add("phone's nonce", nonce)
        transcript.add("commitment", commitment)
        try phoneSends("enrol", 2, .enrol(EnrolRequest(label: VectorKeys.label, commitment: commitment)))
    }

    /// Adds the digits that both sides show after both nonces are known.
    mutating func showDigits() {
        transcript.add("box's nonce", VectorKeys.boxNonce)
        transcript.add(
            "six digits, in ASCII",
            EnrolmentCommitment.digits(
                handshakeHash: box.handshakeHash, phoneNonce: VectorKeys.phoneNonce, boxNonce: VectorKeys.boxNonce))
    }

    mutating func phoneSends(_ name: String, _ id: UInt32, _ request: PhoneRequest) throws {
        let body = try PhoneRequestMessage(id: .of(id), request: request).plainBytes()
        let sealed = try phone.seal(body, now: now)
        add("phone: \(name)", body, sealed)
        try Self.carry("phone: \(name)", sealed, &phoneLink, &boxLink, now, &transcript)
        #expect(try box.open(sealed, now: now).withBytes { $0.copyAll() } == body)
    }

    mutating func boxSends(_ name: String, _ message: BoxMessage) throws {
        let body = try message.encoded()
        let sealed = try box.seal(body, now: now)
        add("box: \(name)", body, sealed)
        try Self.carry("box: \(name)", sealed, &boxLink, &phoneLink, now, &transcript)
        #expect(try phone.open(sealed, now: now).withBytes { $0.copyAll() } == body)
    }

    /// Sends the phone's close message, its last.
    mutating func phoneCloses() throws {
        let sealed = try phone.sealClose()
        transcript.add("phone: close, sealed", sealed)
        try Self.carry("phone: close", sealed, &phoneLink, &boxLink, now, &transcript)
        #expect(throws: ChannelError.closedByPeer) { _ = try box.open(sealed, now: now) }
    }

    private mutating func add(_ name: String, _ body: [UInt8], _ sealed: [UInt8]) {
        transcript.add("\(name), CBOR", body)
        transcript.add("\(name), sealed", sealed)
    }

    /// Passes a message through the links of both sides, and adds the segments to the transcript.
    private static func carry(
        _ name: String, _ message: [UInt8], _ sender: inout SegmentedLink, _ receiver: inout SegmentedLink,
        _ now: Duration, _ transcript: inout Transcript
    ) throws {
        var delivered: [[UInt8]] = []
        var actions = receiver.handle(.receive, now: now)
        for action in sender.handle(.send(message), now: now) {
            guard case .transmit(let segment) = action else {
                Issue.record("\(name): \(action)")
                continue
            }
            transcript.add("\(name), segment", segment)
            actions += receiver.handle(.segment(segment), now: now)
        }
        for action in actions {
            guard case .deliver(let whole) = action else {
                // Messages this few and small never need a separate acknowledgement.
                Issue.record("\(name): \(action)")
                continue
            }
            delivered.append(whole)
        }
        #expect(delivered == [message])
    }
}
