import Testing
import Wire

@testable import AgentProtocol

@Suite("Replies to the command")
struct ControlReplyTests {
    static let device = DeviceListing(
        id: bytes("7K2M"), user: bytes("anna"), label: bytes("Anna's"), boxHeld: true, state: .active,
        enrolledUnixSeconds: 1_700_000_000, lastUsedUnixSeconds: nil, connected: true, pinAttemptsLeft: 9,
        credentialStale: false)
    static var status: AgentStatus {
        var status = AgentStatus()
        status.boxID = bytes("4711")
        status.radio = bytes("loopback")
        status.radioState = bytes("advertising")
        status.uptimeSeconds = 61
        status.devicesActive = 2
        var activity = AgentActivity()
        activity.linksOpen = 3
        activity.channelsAuthenticated = 4
        activity.programsWaiting = 5
        activity.tapHeld = true
        status.activity = activity
        status.sessionsOwned = 6
        status.enrolmentOpen = true
        status.failuresUnauthenticated = 7
        return status
    }
    static var phone: PresenceListing {
        var phone = PresenceListing(device: bytes("7K2M"), user: bytes("anna"))
        phone.state = bytes("away")
        phone.link = bytes("up for 7 s")
        phone.minusTenthsDBm = 853
        phone.samples = 9
        phone.minusNearDBm = 60
        phone.minusFarDBm = 80
        phone.why = bytes("weak")
        return phone
    }
    static let replies: [ControlReply] = [
        .done(text: []), .done(text: bytes("revoked")), .failure(.notFound, what: bytes("no"), cure: bytes("list")),
        .status(status), .status(AgentStatus()), .identity(boxID: bytes("4711"), authorityKeyID: [1, 2, 3], serial: 9),
        .enrolmentContact,
        .enrolmentDigits(digits: bytes("123456"), label: bytes("x")),
        .enrolled(device: bytes("7K2M"), user: bytes("anna")), .device(device),
        .auditEntry(
            AuditListing(
                number: 1, unixSeconds: 2, event: bytes("login"), user: nil, device: nil, detail: [], actor: nil)),
        .auditEntry(
            AuditListing(
                number: .max, unixSeconds: .max, event: bytes("wiped"), user: bytes("anna"), device: bytes("7K2M"),
                detail: bytes("tenth PIN"), actor: ActorListing(kind: .phone, name: bytes("7K2M")))),
        .auditEntry(
            AuditListing(
                number: 3, unixSeconds: 4, event: bytes("wiped"), user: nil, device: nil, detail: [],
                actor: ActorListing(kind: .person, name: bytes("anna"), uid: 0))),
        .auditEntry(
            AuditListing(
                number: 3, unixSeconds: 4, event: bytes("login-correct"), user: nil, device: nil, detail: [],
                actor: ActorListing(kind: .program, name: bytes("login"), place: bytes("tty1")))),
        .auditSegment(
            AuditSegmentListing(
                number: 2, firstEntry: 5, lastEntry: 9, fromUnixSeconds: 1, toUnixSeconds: 2, previous: [1], head: [2],
                signature: [3])),
        .auditSigner(authority: [1], box: [2]),
        .finding(Finding(level: .fault, name: bytes("state"), text: bytes("world-readable"), cure: bytes("chmod"))),
        .testStage(text: bytes("waiting")), .presence(phone), .tapClaimed(true), .tapClaimed(false),
        .greeter(
            GreeterState(
                boxID: bytes("4711"), radio: bytes("bluez"), radioWorks: true, radioState: bytes("advertising"),
                greeters: 2, tapUser: bytes("anna"))),
        .greeter(
            GreeterState(
                boxID: bytes("4711"), radio: bytes("bluez"), radioWorks: false, radioState: [], greeters: 1,
                tapUser: nil)),
    ]

    @Test("Each comes back as it was sent", arguments: replies)
    func roundTrip(reply: ControlReply) throws {
        let bytes = try encoded { output throws(WireError) in try reply.encode(into: &output) }
        #expect(try decoded(bytes, ControlReply.decode) == reply)
    }

    @Test("Each is refused when a byte is missing or one follows", arguments: replies)
    func lengths(reply: ControlReply) throws {
        let bytes = try encoded { output throws(WireError) in try reply.encode(into: &output) }
        for count in 0..<bytes.count {
            #expect(throws: WireError.self) { try decoded(Array(bytes.prefix(count)), ControlReply.decode) }
        }
        #expect(throws: WireError.trailingBytes) { try decoded(bytes + [0], ControlReply.decode) }
    }

    @Test("An enrolment code stays where it was received")
    func enrolmentCode() throws {
        let uri = bytes("boxlink:2/x")
        let sent = try encoded { output throws(WireError) in
            try uri.withRawSpan { uri throws(WireError) in
                try ControlReply.encodeEnrolmentCode(uri: uri, validSeconds: 600, into: &output)
            }
        }
        guard case .enrolmentCode(let range, let seconds) = try decoded(sent, ControlReply.decode) else {
            Issue.record("another reply")
            return
        }
        #expect(Array(sent[range]) == uri)
        #expect(seconds == 600)
        #expect(throws: WireError.unknown) {
            try encoded { output throws(WireError) in
                try ControlReply.enrolmentCode(uri: 0..<1, validSeconds: 1).encode(into: &output)
            }
        }
    }
}
