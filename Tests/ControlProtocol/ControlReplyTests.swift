import Testing
import Wire

@testable import ControlProtocol

@Suite("Replies to the command")
struct ControlReplyTests {
    static let device = DeviceListing(
        id: bytes("7K2M"), user: bytes("anna"), label: bytes("Anna's"), credential: .boxHeld, state: .active,
        enrolledUnixSeconds: 1_700_000_000, lastUsedUnixSeconds: nil, connected: true, pinAttemptsLeft: 9,
        credentialStale: false)
    static var status: AgentStatus {
        var status = AgentStatus()
        status.boxID = "4711"
        status.radio = "loopback"
        status.radioState = "advertising"
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
        status.site = "34750f98…, box 004711, linked, 24 hours left without the site"
        return status
    }
    static var imported: SiteImportListing {
        var listing = SiteImportListing()
        listing.isNews = true
        listing.documentVersion = "1.3"
        listing.generation = "1.1"
        listing.headNumber = 43
        listing.headAgeSeconds = 7_200
        listing.entriesAdded = 16_384
        listing.hasCertificate = true
        listing.certificateExpiry = 1_800_086_400
        listing.hoursLeft = 22
        listing.hoursLimit = 24
        return listing
    }

    static var site: SiteListing {
        var site = SiteListing()
        site.site = [UInt8](repeating: 0x34, count: 16)
        site.boxNumber = "004711"
        site.groups = "1, 7"
        site.servers = "192.0.2.10:4711, [2001:db8::10]:4711"
        site.linkedServer = "192.0.2.10:4711"
        site.linkedSeconds = 61
        site.documentVersion = "1.3"
        site.generation = "1.1"
        site.entries = 16_384
        site.headNumber = 43
        site.headAgeSeconds = 59
        site.freshSeconds = 58
        site.hoursLeft = 24
        site.hoursLimit = 24
        site.certificateExpiry = 1_800_086_400
        site.problem = "the other side did not answer in time"
        site.problemSeconds = 7
        return site
    }
    static var phone: PresenceListing {
        var phone = PresenceListing(device: bytes("7K2M"), user: bytes("anna"))
        phone.state = "away"
        phone.link = "up for 7 s"
        phone.minusTenthsDBm = 853
        phone.samples = 9
        phone.minusNearDBm = 60
        phone.minusFarDBm = 80
        phone.why = "weak"
        return phone
    }
    static let replies: [ControlReply] = [
        .account(user: bytes("anna"), isAnswered: true), .account(user: [0xFF], isAnswered: false),
        .done(text: ""), .done(text: "revoked"), .failure(.notFound, what: "no", cure: "list"),
        .status(status), .status(AgentStatus()), .identity(boxID: "4711", authorityKeyID: [1, 2, 3], serial: 9),
        .webPage(address: "https://phone.example.org/"), .enrolmentContact, .enrolmentLost,
        .enrolmentDigits(digits: "123456", label: bytes("x")),
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
        .session(
            SessionListing(
                id: bytes("c2"), user: bytes("anna"), place: bytes("seat0 tty2"), type: "tty", state: .locked,
                canLock: true,
                device: bytes("7K2M"), outcome: .cannot, reason: "no locker")),
        .session(
            SessionListing(
                id: [], user: [0xFF], place: [], type: "", state: .closing, canLock: false, device: nil)),
        .finding(Finding(level: .fault, name: "state", text: "world-readable", cure: "chmod")),
        .notice(text: "é"), .testStage(text: "waiting"), .joinStage(text: "asking"), .site(site), .site(SiteListing()),
        .siteImported(imported), .siteImported(SiteImportListing()),
        .presence(phone), .tapClaimed(true), .tapClaimed(false),
        .greeter(
            GreeterState(
                boxID: "4711", radio: "bluez", radioWorks: true, radioState: "advertising",
                greeters: 2, tapUser: bytes("anna"))),
        .greeter(
            GreeterState(
                boxID: "4711", radio: "bluez", radioWorks: false, radioState: "", greeters: 1,
                tapUser: nil)),
    ]

    @Test("Each comes back as it was sent", arguments: replies)
    func roundTrip(reply: ControlReply) throws {
        let bytes = try encoded { output throws(ControlMessageError) in try reply.encode(into: &output) }
        #expect(try decoded(bytes, ControlReply.decode) == reply)
    }

    @Test("Each is refused when a byte is missing or one follows", arguments: replies)
    func lengths(reply: ControlReply) throws {
        let bytes = try encoded { output throws(ControlMessageError) in try reply.encode(into: &output) }
        for count in 0..<bytes.count {
            #expect(throws: ControlMessageError.self) { try decoded(Array(bytes.prefix(count)), ControlReply.decode) }
        }
        #expect(throws: ControlMessageError.notAMessage(.trailingBytes)) {
            try decoded(bytes + [0], ControlReply.decode)
        }
    }

    @Test("An enrolment code stays where it was received")
    func enrolmentCode() throws {
        let uri = bytes("boxlink:2/x")
        let sent = try encoded { output throws(ControlMessageError) in
            try uri.withRawSpan { uri throws(ControlMessageError) in
                try ControlReply.encodeEnrolmentCode(uri: uri, validSeconds: 600, into: &output)
            }
        }
        guard case .enrolmentCode(let range, let seconds) = try decoded(sent, ControlReply.decode) else {
            Issue.record("another reply")
            return
        }
        #expect(Array(sent[range]) == uri)
        #expect(seconds == 600)
        #expect(throws: ControlMessageError.unknownMessage) {
            try encoded { output throws(ControlMessageError) in
                try ControlReply.enrolmentCode(uri: 0..<1, validSeconds: 1).encode(into: &output)
            }
        }
    }

    @Test("Every type of reply is among these, and is blank before it is read")
    func everyKind() {
        let kinds = Set(Self.replies.map(\.kind) + [.enrolmentCode])
        #expect(kinds == Set(ControlReply.Kind.allCases))
        #expect(ControlReply.Kind.allCases.allSatisfy { ControlReply(blank: $0).kind == $0 })
    }

    @Test("What is written is a map of names in the order of their bytes")
    func vector() throws {
        // {"type": "tap-claimed", "claimed": true, "version": 2}
        let expected =
            [0xA3, 0x64] + bytes("type") + [0x6B] + bytes("tap-claimed") + [0x67] + bytes("claimed") + [0xF5, 0x67]
            + bytes("version") + [0x02]
        let sent = try encoded { output throws(ControlMessageError) in
            try ControlReply.tapClaimed(true).encode(into: &output)
        }
        #expect(sent == expected)
    }

    @Test("A text over its bound is not sent, and is cut in whole characters by whoever makes it")
    func longTexts() throws {
        let long = String(repeating: "é", count: 513)
        #expect(throws: ControlMessageError.invalid(field: "text", .tooLarge)) {
            try encoded { output throws(ControlMessageError) in
                try ControlReply.done(text: long).encode(into: &output)
            }
        }
        #expect(ControlLimits.cut(long).utf8.count == 1_024)
        #expect(ControlLimits.cut(long, to: 3) == "é" && ControlLimits.cut("é", to: 1) == "")
    }
}
