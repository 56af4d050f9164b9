import Testing

@testable import SecureChannel
@testable import Secrets

@Suite("Attacks on the handshake")
struct HandshakeAttackTests {
    @Test("A flip of any bit of message 1 is refused", arguments: [false, true])
    func flippedMessage1(enrolling: Bool) throws {
        let parties = Parties(enrolling: enrolling)
        let message1 = try parties.firstMessage()
        for bit in 0..<message1.count * 8 {
            var changed = message1
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: HandshakeError.self) {
                _ = try parties.responder().readMessage1(changed).claimedRemoteStatic
            }
        }
        let claimed = try parties.responder().readMessage1(message1).claimedRemoteStatic
        #expect(claimed == parties.phone.publicKey, "the message itself was good, and no attack spoilt the box")
    }

    @Test("A flip of any bit of message 2 is refused", arguments: [false, true])
    func flippedMessage2(enrolling: Bool) throws {
        let parties = Parties(enrolling: enrolling)
        for bit in 0..<HandshakeSizes.message2 * 8 {
            let step = try parties.initiator().writeMessage1()
            var message2 = try parties.responder().readMessage1(step.message).writeMessage2(now: .zero).message
            message2[bit / 8] ^= 1 << UInt8(bit % 8)
            let refusal = refusal(of: message2, by: step.next)
            #expect(refusal != nil)
        }
    }

    @Test("Every truncation and extension of either message is refused", arguments: [false, true])
    func wrongLengths(enrolling: Bool) throws {
        let parties = Parties(enrolling: enrolling)
        let message1 = try parties.firstMessage()
        for count in [Int](0..<message1.count) + [97, 128, 512, 65_536] {
            let changed = [UInt8](message1.prefix(count)) + [UInt8](repeating: 0, count: max(0, count - 96))
            #expect(changed.count == count)
            #expect(throws: HandshakeError.wrongLength) {
                _ = try parties.responder().readMessage1(changed).claimedRemoteStatic
            }
        }
        let message2 = try parties.responder().readMessage1(message1).writeMessage2(now: .zero).message
        for count in [Int](0..<message2.count) + [49, 96, 512, 65_536] {
            let changed = [UInt8](message2.prefix(count)) + [UInt8](repeating: 0, count: max(0, count - 48))
            let step = try parties.initiator().writeMessage1()
            let refusal = refusal(of: changed, by: step.next)
            #expect(refusal == .wrongLength)
        }
    }

    @Test("With payloads allowed, truncated messages are refused all the same")
    func truncatedWithPayload() throws {
        let parties = Parties(enrolling: false)
        let message1 = try parties.initiator().writeMessage1(payload: [1, 2, 3]).message
        #expect(message1.count == 99)
        for count in 0..<message1.count {
            #expect(throws: HandshakeError.self) {
                var payload: [UInt8] = []
                _ = try parties.responder().readMessage1([UInt8](message1.prefix(count)), payload: &payload)
                    .claimedRemoteStatic
            }
        }
    }

    /// Points of low order. Every shared secret with such a point is zero.
    private static let lowOrder: [[UInt8]] = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
    ]

    @Test("An ephemeral key of low order is refused in either message", arguments: lowOrder)
    func lowOrderEphemeral(point: [UInt8]) throws {
        let parties = Parties(enrolling: false)
        let message1 = point + (try parties.firstMessage())[32...]
        #expect(throws: HandshakeError.invalidPublicKey) {
            _ = try parties.responder().readMessage1(message1).claimedRemoteStatic
        }
        let step = try parties.initiator().writeMessage1()
        let message2 =
            point + (try parties.responder().readMessage1(step.message).writeMessage2(now: .zero).message)[32...]
        let refusal = refusal(of: message2, by: step.next)
        #expect(refusal == .invalidPublicKey)
    }

    @Test("A static key of low order, well sealed in message 1, is refused", arguments: lowOrder)
    func lowOrderStatic(point: [UInt8]) throws {
        let parties = Parties(enrolling: false)
        var attacker = try HandshakeState<XChaChaPoly>(
            pattern: .ik, prologue: parties.prologue, staticKey: parties.phone,
            responderStatic: parties.box.publicKey, arena: SecretArena())
        var message: [UInt8] = []
        attacker.writeEphemeral(nil, to: &message)
        let boxKey = parties.box.publicKey
        try attacker.mixAgreement(KeySlots.ephemeralKey, with: boxKey.span.bytes)
        try attacker.write(point, to: &message)
        message += [UInt8](repeating: 0, count: 16)
        #expect(throws: HandshakeError.invalidPublicKey) {
            _ = try parties.responder().readMessage1(message).claimedRemoteStatic
        }
    }

    @Test("A box key of low order is refused before message 1 is sent", arguments: lowOrder)
    func lowOrderBoxKey(point: [UInt8]) {
        let phone = X25519KeyPair()
        #expect(throws: HandshakeError.invalidPublicKey) {
            _ = try InitiatorStart<XChaChaPoly>(prologue: [], staticKey: phone, remoteStatic: point)
                .writeMessage1().message
        }
    }

    /// Second encodings: `key` with the top bit set, and numbers of at least 2^255 - 19, which stand for small numbers.
    private static func otherEncodings(of key: [UInt8]) -> [[UInt8]] {
        var topBit = key
        topBit[31] |= 0x80
        return [topBit] + [0xEF, 0xF6, 0xFF].map { [$0] + [UInt8](repeating: 0xFF, count: 30) + [0x7F] }
    }

    @Test("A second encoding of a static key, well sealed in message 1, is refused", arguments: [false, true])
    func secondEncodingOfStatic(enrolling: Bool) throws {
        let parties = Parties(enrolling: enrolling)
        for point in Self.otherEncodings(of: parties.phone.publicKey) {
            var attacker = try HandshakeState<XChaChaPoly>(
                pattern: enrolling ? .ikPSK1 : .ik, prologue: parties.prologue, staticKey: parties.phone,
                responderStatic: parties.box.publicKey, arena: SecretArena())
            if enrolling { try attacker.store(psk: parties.psk) }
            let boxKey = parties.box.publicKey
            var message: [UInt8] = []
            attacker.writeEphemeral(nil, to: &message)
            try attacker.mixAgreement(KeySlots.ephemeralKey, with: boxKey.span.bytes)
            try attacker.write(point, to: &message)
            try attacker.mixAgreement(KeySlots.staticKey, with: boxKey.span.bytes)
            attacker.mixPSK()
            try attacker.write([], to: &message)
            #expect(throws: HandshakeError.invalidPublicKey) {
                _ = try parties.responder().readMessage1(message).claimedRemoteStatic
            }
        }
    }

    @Test("A second encoding of a box key is refused before message 1 is sent")
    func secondEncodingOfBoxKey() {
        let phone = X25519KeyPair()
        for point in Self.otherEncodings(of: X25519KeyPair().publicKey) {
            #expect(throws: HandshakeError.invalidPublicKey) {
                _ = try InitiatorStart<XChaChaPoly>(prologue: [], staticKey: phone, remoteStatic: point)
                    .writeMessage1().message
            }
        }
    }

    @Test("A replayed message 1 gets an answer that its replayer cannot use, and leaves no state behind")
    func replay() throws {
        let parties = Parties(enrolling: false)
        let step = try parties.initiator().writeMessage1()
        let message1 = step.message
        let reply = try parties.responder().readMessage1(message1).writeMessage2(now: .zero)
        var phone = try step.next.readMessage2(reply.message, now: .zero)
        let recorded = try phone.seal([1, 2, 3], now: .zero)
        do {
            let replayed = try parties.responder().readMessage1(message1).writeMessage2(now: .zero)
            #expect(replayed.message[..<32] != reply.message[..<32])
            var channel = replayed.transport
            #expect(channel.handshakeHash != reply.transport.handshakeHash)
            #expect(throws: ChannelError.authenticationFailed) { _ = try channel.open(recorded, now: .zero).count }
        }
        var box = reply.transport
        let opened = try box.open(recorded, now: .zero)
        #expect(opened.publicCopy == [1, 2, 3], "the live channel is untouched by the replay")
    }

    @Test("Whatever fails gives its memory back wiped")
    func failureLeavesNothing() throws {
        let parties = Parties(enrolling: true)
        let message1 = try parties.firstMessage()
        for index in [0, 40, 95] {
            var changed = message1
            changed[index] ^= 1
            #expect(throws: HandshakeError.self) {
                _ = try parties.responder().readMessage1(changed).claimedRemoteStatic
            }
        }
        let arena = SecretArena(from: parties.pool)
        for index in 0..<SecretArena.slotCount {
            #expect(
                arena.withSlot(SecretArena.Slot(index)) { [UInt8](copying: $0) } == [UInt8](repeating: 0, count: 32))
        }
    }

    @Test("Once the channel stands, only its two keys and the public hash are left of the handshake")
    func handshakeKeysWiped() throws {
        let pair = try Parties(enrolling: true).channelPair()
        let zero = [UInt8](repeating: 0, count: 32)
        for slot in KeySlots.ofHandshakeOnly {
            #expect(pair.phone.keys.withSlot(slot) { [UInt8](copying: $0) } == zero)
            #expect(pair.box.keys.withSlot(slot) { [UInt8](copying: $0) } == zero)
        }
        #expect(pair.phone.keys.withSlot(KeySlots.initiatorToResponder) { [UInt8](copying: $0) } != zero)
    }
}
