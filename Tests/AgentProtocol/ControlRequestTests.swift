import Testing
import Wire

@testable import AgentProtocol

/// Bytes of a message, as a test sees them.
func encoded(
    limit: Int = AgentLimits.messageBytes, _ body: (inout MutableRawSpan) throws(WireError) -> Int
) throws(WireError) -> [UInt8] {
    try .encoding(limit: limit, body)
}

func decoded<Message>(_ bytes: [UInt8], _ body: (RawSpan) throws(WireError) -> Message) throws(WireError) -> Message {
    try bytes.withRawSpan(body)
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

@Suite("Requests of the command")
struct ControlRequestTests {
    // Computed: the leak checker does not see into the payloads of a static table.
    static var requests: [ControlRequest] {
        [
            .status, .identity, .enrol(user: bytes("anna"), label: bytes("Anna's"), boxHeld: true, confirmed: false),
            .enrol(user: [0xFF, 0x00], label: [], boxHeld: false, confirmed: true),
            .confirmEnrolment(digits: bytes("042117"), accept: true), .confirmEnrolment(digits: [], accept: false),
            .revoke(device: bytes("7K2M")),
            .revokeUser(bytes("anna")), .devices, .audit(after: 0, limit: 1), .audit(after: .max, limit: .max),
            .verifyAudit, .auditSegments(after: 0, sealing: true), .auditSegments(after: .max, sealing: false),
            .pruneAudit(through: 7), .wipe(.device(bytes("7K2M"))), .wipe(.user(bytes("anna"))), .wipe(.all), .doctor,
            .testLogin(user: nil, waitSeconds: 0), .testLogin(user: bytes("anna"), waitSeconds: 300),
            .session(.lock, .own), .session(.unlock, .session(bytes("c1"))), .session(.logout, .user(bytes("anna"))),
            .session(.logout, .all), .greet(terminal: bytes("tty1")), .claimTap(user: bytes("anna")),
            .sessionHelper(session: bytes("c1")), .lockRefused(reason: bytes("a picture")),
        ]
    }

    @Test("Each comes back as it was sent", arguments: requests)
    func roundTrip(request: ControlRequest) throws {
        let bytes = try encoded { output throws(WireError) in try request.encode(into: &output) }
        #expect(try decoded(bytes, ControlRequest.decode) == request)
    }

    @Test("Each is refused when a byte is missing or one follows", arguments: requests)
    func lengths(request: ControlRequest) throws {
        let bytes = try encoded { output throws(WireError) in try request.encode(into: &output) }
        for count in 0..<bytes.count {
            #expect(throws: WireError.self) { try decoded(Array(bytes.prefix(count)), ControlRequest.decode) }
        }
        #expect(throws: WireError.trailingBytes) { try decoded(bytes + [0], ControlRequest.decode) }
    }

    @Test("The bytes on the socket are these")
    func vectors() throws {
        // [1, 1]; [3, 1, h'616e6e61', "", false, true]; [15, 1, 1, 2, h'616e6e61']
        let vectors: [(ControlRequest, [UInt8])] = [
            (.status, [0x82, 0x01, 0x01]),
            (
                .enrol(user: bytes("anna"), label: [], boxHeld: false, confirmed: true),
                [0x86, 0x03, 0x01, 0x44, 0x61, 0x6E, 0x6E, 0x61, 0x60, 0xF4, 0xF5]
            ),
            (
                .session(.lock, .user(bytes("anna"))),
                [0x85, 0x0F, 0x01, 0x01, 0x02, 0x44, 0x61, 0x6E, 0x6E, 0x61]
            ),
        ]
        for (request, expected) in vectors {
            #expect(try encoded { output throws(WireError) in try request.encode(into: &output) } == expected)
        }
    }

    @Test(
        "Other versions, unknown kinds and contradictory fields are refused",
        arguments: [
            ([0x82, 0x01, 0x02], WireError.unknown),  // version 2
            ([0x81, 0x01], .unknown),  // no version
            ([0x82, 0x18, 0x63, 0x01], .unknown),  // kind 99
            ([0x83, 0x01, 0x01, 0x00], .unknown),  // status with a field
            ([0x85, 0x0F, 0x01, 0x09, 0x00, 0xF6], .unknown),  // action 9
            ([0x85, 0x0F, 0x01, 0x01, 0x00, 0x41, 0x61], .unknown),  // own session, and a name
            ([0x85, 0x0F, 0x01, 0x01, 0x01, 0xF6], .unknown),  // a session without a name
            ([0x84, 0x0E, 0x01, 0xF6, 0x19, 0x01, 0x2D], .outOfRange),  // waits 301 s
            ([0xA1, 0x01, 0x01], .unexpectedType), ([], .truncated), ([0x80], .unexpectedType),
        ] as [([UInt8], WireError)])
    func refusals(bytes: [UInt8], error: WireError) {
        #expect(throws: error) { try decoded(bytes, ControlRequest.decode) }
    }

    @Test("Fields over their bounds are refused")
    func bounds() throws {
        let tooLong = ControlRequest.revokeUser([UInt8](repeating: 0x61, count: AgentLimits.userBytes + 1))
        let sent = try encoded { output throws(WireError) in try tooLong.encode(into: &output) }
        #expect(throws: WireError.tooLarge) { try decoded(sent, ControlRequest.decode) }
        let whole = [UInt8](repeating: 0, count: AgentLimits.messageBytes + 1)
        #expect(throws: WireError.tooLarge) { try decoded(whole, ControlRequest.decode) }
        #expect(throws: WireError.outputFull) {
            try encoded(limit: 4) { output throws(WireError) in try tooLong.encode(into: &output) }
        }
        let notText = ControlRequest.enrol(user: [], label: [0xFF], boxHeld: false, confirmed: false)
        #expect(throws: WireError.invalidUTF8) {
            try encoded { output throws(WireError) in try notText.encode(into: &output) }
        }
    }
}
