import Testing

@testable import SecureChannel
@testable import Secrets

@Suite("The channel's transport")
struct ChannelTransportTests {
    private let parties = Parties(enrolling: false)

    @Test("Bodies of every size arrive, up to the limit", arguments: [0, 1, 15, 16, 17, 1_000, 65_518])
    func sizes(count: Int) throws {
        var pair = try parties.channelPair()
        let body = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let message = try pair.phone.seal(body, now: .zero)
        #expect(message.count == count + ChannelMessage.overheadBytes)
        let opened = try pair.box.open(message, now: .zero)
        #expect(opened.publicCopy == body)
        let secretMessage = try pair.phone.seal(SecretBytes(copying: body), now: .zero)
        let secret = try pair.box.open(secretMessage, now: .zero)
        #expect(secret.publicCopy == body)
    }

    @Test("A body over the limit is refused by the sender")
    func tooLargeToSend() throws {
        var pair = try parties.channelPair()
        #expect(ChannelMessage.bodyBytesLimit == 65_518)
        let body = [UInt8](repeating: 0, count: ChannelMessage.bodyBytesLimit + 1)
        #expect(throws: ChannelError.wrongLength) { try pair.phone.seal(body, now: .zero) }
        #expect(throws: ChannelError.ended) { try pair.phone.seal([1], now: .zero) }
    }

    @Test("A message that is too short or too long ends the channel", arguments: [0, 1, 16, 65_536])
    func wrongLengths(count: Int) throws {
        try endsForGood(.wrongLength) { _ in [UInt8](repeating: 0, count: count) }
    }

    @Test("A flip of any bit ends the channel")
    func flips() throws {
        for bit in 0..<(3 + ChannelMessage.overheadBytes) * 8 {
            try endsForGood(.authenticationFailed) { pair in
                var message = try pair.phone.seal([1, 2, 3], now: .zero)
                message[bit / 8] ^= 1 << UInt8(bit % 8)
                return message
            }
        }
    }

    @Test("A truncated message ends the channel")
    func truncation() throws {
        for count in ChannelMessage.overheadBytes..<20 {
            try endsForGood(.authenticationFailed) { pair in
                [UInt8](try pair.phone.seal([1, 2, 3], now: .zero).prefix(count))
            }
        }
    }

    @Test("A repeated message ends the channel")
    func duplicate() throws {
        try endsForGood(.authenticationFailed) { pair in
            let message = try pair.phone.seal([1], now: .zero)
            _ = try pair.box.open(message, now: .zero)
            return message
        }
    }

    @Test("A message after a gap ends the channel")
    func gap() throws {
        try endsForGood(.authenticationFailed) { pair in
            _ = try pair.phone.seal([1], now: .zero)
            return try pair.phone.seal([2], now: .zero)
        }
    }

    @Test("A message sent back to its sender ends the channel")
    func reflection() throws {
        try endsForGood(.authenticationFailed) { pair in try pair.box.seal([1], now: .zero) }
    }

    @Test(
        "A message of an unknown kind, or a close with a body, ends the channel", arguments: [[2], [255, 1], [1, 0]])
    func unknownKind(plaintext: [UInt8]) throws {
        try endsForGood(.unknownKind) { pair in try pair.phone.sealRaw(plaintext) }
    }

    /// Gives the box the message of `attack` and expects `reason`. After that, nothing works: the box also refuses the
    /// phone's next message.
    private func endsForGood(_ reason: ChannelError, _ attack: (inout ChannelPair) throws -> [UInt8]) throws {
        var pair = try parties.channelPair()
        let message = try attack(&pair)
        #expect(throws: reason) { _ = try pair.box.open(message, now: .zero).count }
        #expect(pair.box.hasEnded && pair.box.expired(now: .zero))
        let next = try pair.phone.seal([9], now: .zero)
        #expect(throws: ChannelError.ended) { _ = try pair.box.open(next, now: .zero).count }
        #expect(throws: ChannelError.ended) { try pair.box.seal([9], now: .zero) }
        #expect(throws: ChannelError.ended) { try pair.box.sealClose() }
        for index in 0..<SecretArena.slotCount {
            let slot = pair.box.keys.withSlot(SecretArena.Slot(index)) { [UInt8](copying: $0) }
            #expect(slot == [UInt8](repeating: 0, count: 32), "the keys are wiped")
        }
    }

    @Test("Closing shows on the other side, and ends the channel on both")
    func closing() throws {
        var pair = try parties.channelPair()
        #expect(try pair.pass([1]) == [1])
        let close = try pair.phone.sealClose()
        #expect(throws: ChannelError.ended) { try pair.phone.seal([2], now: .zero) }
        #expect(throws: ChannelError.ended) { try pair.phone.sealClose() }
        #expect(throws: ChannelError.closedByPeer) { _ = try pair.box.open(close, now: .zero).count }
        #expect(throws: ChannelError.ended) { try pair.box.seal([2], now: .zero) }
    }

    @Test("A close message cannot be moved ahead: what was sent before it must arrive first")
    func closeKeepsOrder() throws {
        var pair = try parties.channelPair()
        _ = try pair.phone.seal([1], now: .zero)
        let close = try pair.phone.sealClose()
        #expect(throws: ChannelError.authenticationFailed) { _ = try pair.box.open(close, now: .zero).count }
    }

    @Test("After the last message that the limit allows, only a close passes")
    func messageLimit() throws {
        var pair = try parties.channelPair(limits: ChannelLimits(messagesEachWay: 3))
        for round: UInt8 in 0..<3 {
            #expect(try pair.pass([round]) == [round])
        }
        #expect(throws: ChannelError.messageLimitReached) { try pair.phone.seal([3], now: .zero) }
        #expect(throws: ChannelError.ended) { try pair.phone.seal([3], now: .zero) }

        var other = try parties.channelPair(limits: ChannelLimits(messagesEachWay: 1))
        #expect(try other.pass([0]) == [0])
        let tooMany = try other.phone.sealRaw([0, 1])
        #expect(throws: ChannelError.messageLimitReached) { _ = try other.box.open(tooMany, now: .zero).count }

        var third = try parties.channelPair(limits: ChannelLimits(messagesEachWay: 1))
        #expect(try third.pass([0]) == [0])
        let close = try third.phone.sealClose()
        #expect(throws: ChannelError.closedByPeer) { _ = try third.box.open(close, now: .zero).count }
    }

    @Test("The limits cannot be set above 2^20 messages and one hour")
    func limitsAreCapped() {
        let limits = ChannelLimits(messagesEachWay: .max, age: .seconds(1_000_000))
        #expect(limits.messagesEachWay == 1 << 20)
        #expect(limits.age == .seconds(3_600))
        #expect(ChannelLimits() == ChannelLimits(messagesEachWay: 1 << 20, age: .seconds(3_600)))
    }

    @Test("A channel is refused after one hour, however busy it is")
    func ageLimit() throws {
        var pair = try parties.channelPair()
        for minute in 0..<60 {
            #expect(try pair.pass([1], now: .seconds(60 * minute)) == [1])
        }
        let last = Duration.seconds(3_600) - .nanoseconds(1)
        #expect(pair.phone.expired(now: last) == false)
        let message = try pair.phone.seal([2], now: last)
        #expect(pair.phone.deadline == .seconds(3_600))
        #expect(pair.phone.expired(now: .seconds(3_600)) == true)
        #expect(throws: ChannelError.expired) { try pair.phone.seal([3], now: .seconds(3_600)) }
        #expect(throws: ChannelError.expired) { _ = try pair.box.open(message, now: .seconds(3_600)).count }
        #expect(throws: ChannelError.ended) { _ = try pair.box.open(message, now: .zero).count }
    }

    @Test("A channel is refused after its idle time; a message either way starts it anew")
    func idleLimit() throws {
        var pair = try parties.channelPair(limits: ChannelLimits(idle: .seconds(10)))
        #expect(pair.phone.deadline == .seconds(10))
        #expect(try pair.pass([1], now: .seconds(9)) == [1])
        #expect(pair.phone.deadline == .seconds(19) && pair.box.deadline == .seconds(19))
        #expect(pair.phone.expired(now: .seconds(18)) == false)
        #expect(throws: ChannelError.expired) { try pair.phone.seal([2], now: .seconds(19)) }
        let close = try pair.box.sealClose()
        #expect(close.count == ChannelMessage.overheadBytes, "an idle channel can still be closed")
    }

    @Test("Equal bodies never give equal messages: no nonce is used twice")
    func noncesAreUnique() throws {
        var pair = try parties.channelPair()
        var seen: Set<[UInt8]> = []
        for _ in 0..<500 {
            #expect(seen.insert(try pair.phone.seal([7], now: .zero)).inserted)
            #expect(seen.insert(try pair.box.seal([7], now: .zero)).inserted)
        }
        #expect(pair.phone.sending.nonce == 500)
    }

    @Test("A counter that failed to seal is not used again, and the last one is never used")
    func counterNeverRepeats() {
        var arena = SecretArena()
        arena.randomise(SecretArena.Slot(0))
        var cipher = CipherState<XChaChaPoly>(key: SecretArena.Slot(0))
        var tooSmall = [UInt8](repeating: 0, count: 15)
        #expect(throws: SecretsError.wrongLength) {
            var span = tooSmall.mutableSpan
            var bytes = span.mutableBytes
            try cipher.encrypt(&bytes, associatedData: RawSpan(), in: arena)
        }
        #expect(cipher.nonce == 1)
        var exhausted = CipherState<XChaChaPoly>(key: SecretArena.Slot(0), nonce: .max)
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(throws: SecretsError.wrongLength) {
            var span = buffer.mutableSpan
            var bytes = span.mutableBytes
            try exhausted.encrypt(&bytes, associatedData: RawSpan(), in: arena)
        }
        #expect(exhausted.nonce == .max)
    }
}
