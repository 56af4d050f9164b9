import Names
import TestSupport
import Testing
import Wire

@testable import ControlProtocol

@Suite("Requests of the command")
struct ControlRequestTests {
    // Computed, because the leak checker does not see into the payloads of a static table.
    static var requests: [ControlRequest] {
        [
            .status, .identity,
            .enrol(
                EnrolmentWish(user: bytes("anna"), label: "Anna's", credential: .boxHeld, isWeb: true, isForced: true)),
            .enrol(EnrolmentWish(user: [0xFF, 0x00], isConfirmed: true)),
            .confirmEnrolment(digits: "042117", accept: true), .confirmEnrolment(digits: "", accept: false),
            .revoke(device: bytes("7K2M")),
            .revokeUser(bytes("anna")), .revokeWeb, .devices,
            .samePerson(user: bytes("anna")), .account(user: bytes("anna"), renaming: true),
            .audit(after: 0, limit: 1),
            .audit(after: .max, limit: .max),
            .verifyAudit, .auditSegments(after: 0, sealing: true), .auditSegments(after: .max, sealing: false),
            .pruneAudit(through: 7), .wipe(.device(bytes("7K2M"))), .wipe(.user(bytes("anna"))), .wipe(.all), .doctor,
            .testLogin(user: nil, waitSeconds: 0), .testLogin(user: bytes("anna"), waitSeconds: 300),
            .session(.lock, .own), .session(.unlock, .session(bytes("c1"))), .session(.logout, .user(bytes("anna"))),
            .session(.logout, .all), .greet(terminal: bytes("tty1")), .claimTap(user: bytes("anna")),
            .sessionHelper(session: bytes("c1")), .lockRefused(reason: "a picture"),
            .sessions, .explainPresence, .leaveSite, .site,
            .enrolSelf(replacing: []), .enrolSelf(replacing: Array("7k3m".utf8)),
            .importSite(part: [], isLast: true), .importSite(part: [0, 0xFF], isLast: false),
        ]
    }

    @Test("Each comes back as it was sent", arguments: requests)
    func roundTrip(request: ControlRequest) throws {
        let bytes = try encoded { output throws(ControlMessageError) in try request.encode(into: &output) }
        #expect(try decoded(bytes, ControlRequest.decode) == request)
    }

    @Test("Each is refused when a byte is missing or one follows", arguments: requests)
    func lengths(request: ControlRequest) throws {
        let bytes = try encoded { output throws(ControlMessageError) in try request.encode(into: &output) }
        for count in 0..<bytes.count {
            #expect(throws: ControlMessageError.self) { try decoded(Array(bytes.prefix(count)), ControlRequest.decode) }
        }
        #expect(throws: ControlMessageError.notAMessage(.trailingBytes)) {
            try decoded(bytes + [0], ControlRequest.decode)
        }
    }

    @Test("Every type of request is among these, and is blank before it is read")
    func everyKind() {
        // The request with a join code has its own test below.
        #expect(Set(Self.requests.map(\.kind)).union([.joinSite]) == Set(ControlRequest.Kind.allCases))
        #expect(ControlRequest.Kind.allCases.allSatisfy { ControlRequest(blank: $0).kind == $0 })
    }

    @Test("A join code is sent as a secret only, and where it is in the message is told")
    func joinCode() throws {
        let code = bytes("boxsite:1/0123456789")
        let message = try encoded { output throws(ControlMessageError) in
            try code.withRawSpan { span throws(ControlMessageError) in
                try ControlRequest.encodeJoin(code: span, into: &output)
            }
        }
        guard case .joinSite(let range) = try decoded(message, ControlRequest.decode) else {
            Issue.record("another request")
            return
        }
        #expect(Array(message[range]) == code)
        #expect(throws: ControlMessageError.self) {
            try encoded { output throws(ControlMessageError) in
                try ControlRequest.joinSite(code: 0..<0).encode(into: &output)
            }
        }
    }

    @Test("The bytes on the socket are these")
    func vectors() throws {
        // {"type": "status", "version": 2}
        let status = [0xA2, 0x64] + bytes("type") + [0x66] + bytes("status") + [0x67] + bytes("version") + [0x02]
        #expect(
            try encoded { output throws(ControlMessageError) in try ControlRequest.status.encode(into: &output) }
                == status)
        // {"type": "session", "user": h'616e6e61', "which": "user", "action": "lock", "version": 2}
        let session =
            [0xA5, 0x64] + bytes("type") + [0x67] + bytes("session") + [0x64] + bytes("user") + [0x44] + bytes("anna")
            + [0x65] + bytes("which") + [0x64] + bytes("user") + [0x66] + bytes("action") + [0x64] + bytes("lock")
            + [0x67] + bytes("version") + [0x02]
        let request = ControlRequest.session(.lock, .user(bytes("anna")))
        #expect(try encoded { output throws(ControlMessageError) in try request.encode(into: &output) } == session)
    }

    /// Encodes a map in CBOR's deterministic order. The values are CBOR already.
    private static func map(_ fields: [(String, [UInt8])]) -> [UInt8] {
        let sorted = fields.sorted {
            let (left, right) = (Array($0.0.utf8), Array($1.0.utf8))
            return left.count != right.count ? left.count < right.count : left.lexicographicallyPrecedes(right)
        }
        return [0xA0 | UInt8(fields.count)] + sorted.flatMap { text($0.0) + $0.1 }
    }

    private static func text(_ text: String) -> [UInt8] { [0x60 | UInt8(text.utf8.count)] + Array(text.utf8) }

    private static let version: (String, [UInt8]) = ("version", [0x02])

    static let refused: [([UInt8], ControlMessageError)] = [
        (map([("type", text("status")), ("version", [0x03])]), .otherVersion(3)),
        // Errors in the rest of another version's message do not change the answer.
        (map([("type", [0x80]), ("version", [0x03]), ("x", [0x81, 0x00])]), .otherVersion(3)),
        (map([("type", text("status"))]), .missing(field: "version")),
        (map([version]), .missing(field: "type")),
        (map([("type", text("stats")), version]), .unknownMessage),
        (map([("type", text("status")), version, ("x", [0x00])]), .unknownField),
        (map([("type", text("revoke")), version]), .missing(field: "device")),
        (
            map([("type", text("revoke")), ("device", text("7K2M")), version]),
            .invalid(field: "device", .unexpectedType)
        ),
        (map([("type", text("revoke")), ("device", [0xF6]), version]), .invalid(field: "device", .unexpectedType)),
        (
            map([("type", text("session")), ("action", text("locks")), ("which", text("own")), version]),
            .invalid(field: "action", .unknown)
        ),
        (
            map([
                ("type", text("session")), ("action", text("lock")), ("which", text("own")), ("user", [0x41, 0x61]),
                version,
            ]),
            .invalid(field: "which", .unknown)
        ),
        (map([("type", text("wipe")), ("which", text("device")), version]), .invalid(field: "which", .unknown)),
        (
            map([("type", text("test-login")), ("wait-seconds", [0x19, 0x01, 0x2D]), version]),
            .invalid(field: "wait-seconds", .outOfRange)
        ),
        // {"version": 2, "type": "status"}, then "type" twice
        ([0xA2] + text("version") + [0x02] + text("type") + text("status"), .notAMessage(.notDeterministic)),
        ([0xA2] + text("type") + text("status") + text("type") + text("status"), .notAMessage(.notDeterministic)),
        // Version 1: [1, 1]
        ([0x82, 0x01, 0x01], .notAMessage(.unexpectedType)),
        ([], .notAMessage(.truncated)), ([0xA1, 0x01, 0x01], .notAMessage(.unexpectedType)),
    ]

    @Test(
        "Other versions, unknown types and fields, missing ones and contradictions are refused, each by name",
        arguments: refused)
    func refusals(bytes: [UInt8], error: ControlMessageError) {
        #expect(throws: error) { try decoded(bytes, ControlRequest.decode) }
    }

    @Test("Every field of a request is needed, or its absence says something")
    func missingFields() throws {
        for request in Self.requests {
            let sent = try encoded { output throws(ControlMessageError) in try request.encode(into: &output) }
            var reader = CBORReader()
            let fields = try sent.withRawSpan { span throws(WireError) in try reader.readFields(in: span, secret: "") }
            for left in fields.indices {
                var fewer = fields
                fewer.remove(at: left)
                let message: [UInt8] = try .encoding(limit: ControlLimits.messageBytes) { output throws(WireError) in
                    var writer = CBORWriter()
                    try writer.writeFields(fewer, secret: RawSpan(), to: &output)
                    return writer.offset
                }
                #expect((try? decoded(message, ControlRequest.decode)) != request)
            }
        }
    }

    @Test("Fields over their bounds are neither written nor read")
    func bounds() throws {
        let tooLong = ControlRequest.revokeUser([UInt8](repeating: 0x61, count: UserName.byteLimit + 1))
        #expect(throws: ControlMessageError.invalid(field: "user", .tooLarge)) {
            try encoded { output throws(ControlMessageError) in try tooLong.encode(into: &output) }
        }
        let user = [0x59, 0x01, 0x00] + [UInt8](repeating: 0x61, count: UserName.byteLimit + 1)
        let sent = Self.map([("type", Self.text("revoke-user")), ("user", user), Self.version])
        #expect(throws: ControlMessageError.invalid(field: "user", .tooLarge)) {
            try decoded(sent, ControlRequest.decode)
        }
        let whole = [UInt8](repeating: 0, count: ControlLimits.messageBytes + 1)
        #expect(throws: ControlMessageError.notAMessage(.tooLarge)) { try decoded(whole, ControlRequest.decode) }
        #expect(throws: ControlMessageError.notAMessage(.outputFull)) {
            try encoded(limit: 4) { output throws(ControlMessageError) in
                try ControlRequest.status.encode(into: &output)
            }
        }
        let many: [UInt8] = (0..<25).reduce(into: [0xB8, 0x19]) { $0 += [0x61, UInt8(0x41 + $1), 0x00] }
        #expect(throws: ControlMessageError.notAMessage(.tooLarge)) { try decoded(many, ControlRequest.decode) }
    }

    @Test(
        "Random bytes and damaged messages are decoded or refused; what is decoded is the only encoding",
        arguments: seeds)
    func garbage(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let samples = try Self.requests.map { request in
            try encoded { output throws(ControlMessageError) in try request.encode(into: &output) }
        }
        var refused = 0
        for _ in 0..<10_000 {
            var bytes = samples[Int.random(in: samples.indices, using: &generator)]
            for _ in 0...Int.random(in: 0...2, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = .random(in: 0...255, using: &generator)
            }
            if (try? decoded(bytes, ControlReply.decode)) == nil { refused += 1 }
            guard let request = try? decoded(bytes, ControlRequest.decode) else {
                refused += 1
                continue
            }
            #expect(try encoded { output throws(ControlMessageError) in try request.encode(into: &output) } == bytes)
        }
        #expect(refused > 10_000)
    }
}
