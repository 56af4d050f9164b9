import PhoneMessages
import TestSupport
import Testing
import Wire

@Suite("Messages that pass")
struct RoundTripTests {
    @Test("Every request comes out as it went in", arguments: RequestSamples.messages)
    func requests(_ message: PhoneRequestMessage) throws {
        let encoded = try message.plainBytes()
        let decoded = try PhoneRequestMessage.decode(encoded)
        #expect(decoded.id == message.id)
        #expect(decoded.request.plainFields == message.request.plainFields)
        #expect(try decoded.plainBytes() == encoded)
    }

    @Test("Every message of the box comes out as it went in", arguments: BoxMessageSamples.all)
    func boxMessages(_ message: BoxMessage) throws {
        let encoded = try message.encoded()
        #expect(try BoxMessage.decode(encoded) == message)
        #expect(encoded.count <= MessageLimits.messageBytes)
    }

    @Test("The samples have every type of message")
    func complete() throws {
        #expect(
            Set(try RequestSamples.messages.map { type(of: try $0.plainBytes()) })
                == Set(1...15).union([27]).union(30...34).union([39, 43, 45, 46, 47]))
        #expect(
            Set(try BoxMessageSamples.all.map { type(of: try $0.encoded()) })
                == Set(16...22).union(24...26).union([28, 29]).union(35...38).union(40...42).union([44]))
    }

    /// Types from 24 on take two bytes, the first of which is 0x18 (RFC 8949, section 3).
    private func type(of message: [UInt8]) -> UInt8 { message[1] == 0x18 ? message[2] : message[1] }

    @Test("A login with a password of 32 bytes takes 37 bytes, so that it travels in one ATT packet at ATT MTU 185")
    func loginSize() throws {
        let login = PhoneRequestMessage(id: .of(2), request: .login(held([UInt8](repeating: 0x70, count: 32))))
        #expect(try login.plainBytes().count == 37)
    }

    @Test("The largest request fits the message limit with room to spare")
    func largest() throws {
        // A carried message, type 39, has its own limit.
        let sizes = try RequestSamples.messages.map { (type(of: try $0.plainBytes()), try $0.plainBytes().count) }
        #expect(sizes.filter { $0.0 != 39 }.map(\.1).max() ?? 0 <= 850)
        #expect(sizes.map(\.1).max() ?? 0 <= MessageLimits.carriedBytes + 16)
    }

    @Test("The longest ping and its answer come out as they went in, and fit a transport message")
    func longestPing() throws {
        let payload = (0..<MessageLimits.pingBytes).map { UInt8(truncatingIfNeeded: $0) }
        let request = try PhoneRequestMessage(id: .of(.max), request: .ping(payload)).plainBytes()
        let answer = try BoxMessage.pong(.of(.max), payload).encoded()
        // Compared outside `#expect`, which would print 16 KiB on a failure.
        let isSame =
            try PhoneRequestMessage.decode(request).request.plainFields == [[13], payload]
            && BoxMessage.decode(answer) == .pong(.of(.max), payload)
        #expect(isSame)
        #expect(max(request.count, answer.count) < 65_000)
    }

    @Test("A cut message is refused, wherever it is cut")
    func truncation() throws {
        for encoded in try RequestSamples.messages.map({ try $0.plainBytes() }) {
            for count in 0..<encoded.count {
                #expect(throws: WireError.truncated) { try PhoneRequestMessage.decode(Array(encoded[..<count])) }
            }
        }
        for encoded in try BoxMessageSamples.all.map({ try $0.encoded() }) {
            for count in 0..<encoded.count {
                #expect(throws: WireError.truncated) { try BoxMessage.decode(Array(encoded[..<count])) }
            }
        }
    }

    @Test("A byte after the message is refused")
    func trailing() throws {
        for encoded in try RequestSamples.messages.map({ try $0.plainBytes() }) {
            #expect(throws: WireError.trailingBytes) { try PhoneRequestMessage.decode(encoded + [0]) }
        }
        for encoded in try BoxMessageSamples.all.map({ try $0.encoded() }) {
            #expect(throws: WireError.trailingBytes) { try BoxMessage.decode(encoded + [0]) }
        }
    }

    @Test("A buffer that is too small is refused, at every size")
    func smallBuffer() throws {
        for message in BoxMessageSamples.all {
            for size in 0..<(try message.encoded().count) {
                #expect(throws: WireError.outputFull) {
                    try [UInt8].encoding(limit: size) { output throws(WireError) in try message.encode(into: &output) }
                }
            }
        }
        for message in RequestSamples.messages {
            for size in 0..<(try message.plainBytes().count) {
                #expect(throws: WireError.outputFull) {
                    try [UInt8].encoding(limit: size) { output throws(WireError) in try message.encode(into: &output) }
                }
            }
        }
    }

    @Test("Whatever is accepted is the only encoding of what it says", arguments: seeds)
    func canonical(_ seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let requests = try RequestSamples.messages.map { try $0.plainBytes() }
        let messages = try BoxMessageSamples.all.map { try $0.encoded() }
        var accepted = 0
        for _ in 0..<20_000 {
            var input = (Bool.random(using: &generator) ? requests : messages).randomElement(using: &generator) ?? []
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                // Changes a byte near the front, where a message has its structure.
                let end = min(input.count, 24)
                input[Int.random(in: 0..<end, using: &generator)] = .random(in: 0 ... .max, using: &generator)
            }
            if let request = try? PhoneRequestMessage.decode(input) {
                accepted += 1
                #expect(try request.plainBytes() == input, "seed \(seed)")
            }
            if let message = try? BoxMessage.decode(input) {
                accepted += 1
                #expect(try message.encoded() == input, "seed \(seed)")
            }
        }
        #expect(accepted > 500, "seed \(seed): the property was hardly tried")
    }
}
