import Testing

@testable import SecureChannel
@testable import Secrets

@Suite("The handshake")
struct HandshakeTests {
    @Test("Both patterns give both sides one channel, and messages pass each way", arguments: [false, true])
    func channelStands(enrolling: Bool) throws {
        let parties = Parties(enrolling: enrolling)
        let start = try parties.initiator()
        let step = try start.writeMessage1()
        let message1 = step.message
        #expect(message1.count == HandshakeSizes.message1)
        let ready = try parties.responder().readMessage1(message1)
        #expect(ready.claimedRemoteStatic == parties.phone.publicKey)
        let reply = try ready.writeMessage2(now: .zero)
        let message2 = reply.message
        #expect(message2.count == HandshakeSizes.message2)
        var phone = try step.next.readMessage2(message2, now: .zero)
        var box = reply.transport
        #expect(phone.handshakeHash == box.handshakeHash)
        #expect(phone.handshakeHash.count == 32)
        for round: UInt8 in 0..<3 {
            let atBox = try box.open(phone.seal([round, 1], now: .zero), now: .zero)
            #expect(atBox.publicCopy == [round, 1])
            let atPhone = try phone.open(box.seal([round, 2, 3], now: .zero), now: .zero)
            #expect(atPhone.publicCopy == [round, 2, 3])
        }
    }

    @Test("Two handshakes of the same parties share nothing", arguments: [false, true])
    func freshEphemerals(enrolling: Bool) throws {
        let parties = Parties(enrolling: enrolling)
        let firstMessages = try parties.firstMessage()
        let secondMessages = try parties.firstMessage()
        #expect(firstMessages[..<32] != secondMessages[..<32])
        var one = try parties.channelPair()
        var other = try parties.channelPair()
        #expect(one.phone.handshakeHash != other.phone.handshakeHash)
        let sealed = try one.phone.seal([1], now: .zero)
        #expect(throws: ChannelError.authenticationFailed) { _ = try other.box.open(sealed, now: .zero).count }
    }

    @Test("Message 1 holds for its prologue, box key, secret and pattern only")
    func bindings() throws {
        let parties = Parties(enrolling: true)
        let message1 = try parties.firstMessage()
        let stranger = X25519KeyPair()
        let otherPSK = SecretBytes(randomCount: 32)
        func read(_ responder: consuming ResponderStart<XChaChaPoly>) throws {
            _ = try responder.readMessage1(message1).claimedRemoteStatic
        }
        #expect(throws: Never.self) { try read(parties.responder()) }
        #expect(throws: HandshakeError.authenticationFailed) {
            try read(ResponderStart(prologue: parties.prologue + [0], staticKey: parties.box, psk: parties.psk))
        }
        #expect(throws: HandshakeError.authenticationFailed) {
            try read(ResponderStart(prologue: parties.prologue, staticKey: stranger, psk: parties.psk))
        }
        #expect(throws: HandshakeError.authenticationFailed) {
            try read(ResponderStart(prologue: parties.prologue, staticKey: parties.box, psk: otherPSK))
        }
        #expect(throws: HandshakeError.authenticationFailed) {
            try read(ResponderStart(prologue: parties.prologue, staticKey: parties.box))
        }
    }

    @Test("A message 2 of another handshake, or of a box with another key, is refused")
    func strangersReply() throws {
        let parties = Parties(enrolling: false)
        let reply = try parties.responder().readMessage1(parties.firstMessage()).writeMessage2(now: .zero)
        let message2 = reply.message
        let step = try parties.initiator().writeMessage1()
        let refusal = refusal(of: message2, by: step.next)
        #expect(refusal == .authenticationFailed)
    }

    @Test("Keys and secrets of another length are refused before anything is sent", arguments: [0, 31, 33])
    func wrongLengths(count: Int) {
        let key = X25519KeyPair()
        #expect(throws: HandshakeError.wrongLength) {
            _ = try InitiatorStart<XChaChaPoly>(
                prologue: [], staticKey: key, remoteStatic: [UInt8](repeating: 9, count: count)
            ).writeMessage1().message
        }
        #expect(throws: HandshakeError.wrongLength) {
            _ = try InitiatorStart<XChaChaPoly>(
                prologue: [], staticKey: key, remoteStatic: key.publicKey, psk: SecretBytes(count: count)
            ).writeMessage1().message
        }
        #expect(throws: HandshakeError.wrongLength) {
            _ = try ResponderStart<XChaChaPoly>(prologue: [], staticKey: key, psk: SecretBytes(count: count))
                .readMessage1([UInt8](repeating: 0, count: 96)).claimedRemoteStatic
        }
    }
}
