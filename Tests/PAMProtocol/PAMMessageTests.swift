import Testing
import Wire

@testable import PAMProtocol

@Suite("Messages between PAM module and agent")
struct PAMMessageTests {
    static let requests: [PAMRequest] = [
        .authenticate(
            PAMAuthentication(service: bytes("login"), user: nil, terminal: nil, remoteHost: nil, waitSeconds: 0)),
        .authenticate(
            PAMAuthentication(
                service: bytes("sshd"), user: [0xFF], terminal: bytes("/dev/tty1"), remoteHost: bytes("::1"),
                waitSeconds: 300)),
        .event(.verdictReached), .event(.accountEntered), .event(.credentialsEntered), .event(.notAccepted),
        .event(.passwordExpired), .event(.sessionOpened(logindSession: nil, terminal: bytes("tty1"))),
        .event(.sessionOpened(logindSession: bytes("c1"), terminal: nil)), .event(.sessionClosed),
        .event(.ended(status: 0)), .event(.ended(status: 0x7FFF_FFFF)), .event(.credentialsRefreshed),
        .passwordChanged(service: bytes("passwd"), user: bytes("anna")),
        .passwordTyped(user: bytes("anna"), session: bytes("c1")),
    ]

    @Test("Each request comes back as it was sent, and not with a byte less or more", arguments: requests)
    func requestRoundTrip(request: PAMRequest) throws {
        let bytes = try encoded { output throws(WireError) in try request.encode(into: &output) }
        #expect(try decoded(bytes, PAMRequest.decode) == request)
        for count in 0..<bytes.count {
            #expect(throws: WireError.self) { try decoded(Array(bytes.prefix(count)), PAMRequest.decode) }
        }
        #expect(throws: WireError.trailingBytes) { try decoded(bytes + [0], PAMRequest.decode) }
    }

    /// Computed, not stored. The leak checker does not follow a payload whose pointer carries its case's number.
    static var replies: [PAMReply] {
        [
            .waiting(boxID: bytes("4711")), .asking(boxID: bytes("4711")), .unavailable(.noTap),
            .unavailable(.withdrawn), .noted,
        ]
    }

    @Test("Each reply comes back as it was sent", arguments: replies)
    func replyRoundTrip(reply: PAMReply) throws {
        let bytes = try encoded { output throws(WireError) in try reply.encode(into: &output) }
        #expect(try decoded(bytes, PAMReply.decode) == reply)
        for count in 0..<bytes.count {
            #expect(throws: WireError.self) { try decoded(Array(bytes.prefix(count)), PAMReply.decode) }
        }
    }

    private func credential(user: [UInt8], _ authtok: [UInt8]) throws(WireError) -> [UInt8] {
        try encoded { output throws(WireError) in
            try authtok.withRawSpan { authtok throws(WireError) in
                try PAMReply.encodeCredential(user: user, authtok: authtok, into: &output)
            }
        }
    }

    @Test("A credential of 1 to 511 bytes of any value stays where it was received")
    func credential() throws {
        for authtok in [[0xFF], bytes("secret"), [UInt8](repeating: 0x80, count: 511)] {
            let sent = try credential(user: bytes("anna"), authtok)
            guard case .credential(let user, let range) = try decoded(sent, PAMReply.decode) else {
                Issue.record("another reply")
                return
            }
            #expect(user == bytes("anna"))
            #expect(Array(sent[range]) == authtok)
        }
    }

    @Test("A credential that is empty, too long, or nobody's is refused")
    func credentialBounds() throws {
        let empty = try credential(user: bytes("anna"), [])
        #expect(throws: WireError.outOfRange) { try decoded(empty, PAMReply.decode) }
        let nobody = try credential(user: [], bytes("secret"))
        #expect(throws: WireError.outOfRange) { try decoded(nobody, PAMReply.decode) }
        let long = try credential(user: bytes("anna"), [UInt8](repeating: 1, count: 512))
        #expect(throws: WireError.tooLarge) { try decoded(long, PAMReply.decode) }
    }

    @Test("Random bytes and damaged messages are decoded or refused, and never end the program")
    func garbage() throws {
        let seed = UInt64.random(in: 1...(.max))
        var state = seed
        func random(_ bound: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(bound))
        }
        var samples = try Self.requests.map { request in
            try encoded { output throws(WireError) in try request.encode(into: &output) }
        }
        samples += try Self.replies.map { reply in
            try encoded { output throws(WireError) in try reply.encode(into: &output) }
        }
        var refused = 0
        for _ in 0..<20_000 {
            var bytes = samples[random(samples.count)]
            for _ in 0...random(3) { bytes[random(bytes.count)] = UInt8(random(256)) }
            if random(4) == 0 { bytes = (0..<random(64)).map { _ in UInt8(random(256)) } }
            let outcomes = [
                (try? decoded(bytes, PAMRequest.decode)) == nil, (try? decoded(bytes, PAMReply.decode)) == nil,
            ]
            refused += outcomes.filter { $0 }.count
        }
        #expect(refused > 10_000, "seed \(seed)")
    }
}
