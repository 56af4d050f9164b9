import SiteTrust
import Testing

@testable import SiteLink

@Suite("Messages between a box and its site")
struct SiteMessageTests {
    private typealias Fixture = LinkFixture

    private func toSite() throws -> [MessageToSite] {
        [
            .hello(try Fixture.hello()), .entries([try Fixture.revocation()]),
            .entries(try (0..<64).map { try Fixture.revocation($0) }), .entriesEnd, .differs(number: 7),
            .took(number: .max), .leaving, .renew(try Fixture.grant()), .carry(try carried(1)),
            .carry(try carried(896)),
            .endCarry(try #require(CarryNumber(rawValue: .max))),
        ]
    }

    private func carried(_ count: Int) throws -> CarriedMessage {
        let number = try #require(CarryNumber(rawValue: 0x0102_0304))
        return try #require(CarriedMessage(carry: number, message: [UInt8](repeating: 5, count: count)))
    }

    private func fromSite() throws -> [MessageFromSite] {
        [
            .certificate(try Fixture.boxCertificate()), .entries([try Fixture.revocation()]),
            .entries(try (0..<64).map { try Fixture.revocation($0) }), .head(try Fixture.head()),
            .document(try ClaimedSiteDocument(parsing: Fixture.document().bytes)), .wantEntries,
            .grant(try Fixture.grant()), .carried(try carried(1)), .carried(try carried(896)),
            .carryEnded(try #require(CarryNumber(rawValue: 1))),
        ] + SiteRefusal.allCases.map { .refused($0) }
    }

    @Test("Each message to a site comes out as it went in, and one byte less or more is none")
    func bothWaysToSite() throws {
        for message in try toSite() {
            #expect(try MessageToSite(parsing: message.bytes) == message)
            // The last field fills the rest. A carry may thus be longer or shorter, and a hello shorter.
            switch message {
            case .carry(let carried) where carried.message.count < 896: continue
            default: #expect(throws: SiteLinkError.self) { try MessageToSite(parsing: message.bytes + [0]) }
            }
            switch message {
            case .hello, .carry: continue
            default: break
            }
            #expect(throws: SiteLinkError.self) { try MessageToSite(parsing: [UInt8](message.bytes.dropLast())) }
        }
    }

    @Test("An entry of a kind that is not known makes a message nonsense, which ends the link, and not another version")
    func unknownEntries() throws {
        // The kind comes after the message's kind and the entry's version.
        let kind = 2
        var fromSite = MessageFromSite.entries(try (0..<2).map { try Fixture.revocation($0) }).bytes
        var toSite = MessageToSite.entries([try Fixture.revocation()]).bytes
        for unknown: UInt8 in [0, 5, 255] {
            (fromSite[kind], toSite[kind]) = (unknown, unknown)
            #expect(throws: SiteLinkError.protocolViolation) { try MessageFromSite(parsing: fromSite) }
            #expect(throws: SiteLinkError.protocolViolation) { try MessageToSite(parsing: toSite) }
        }
    }

    @Test("Each message from a site comes out as it went in, and one byte less or more is none")
    func bothWaysFromSite() throws {
        for message in try fromSite() {
            #expect(try MessageFromSite(parsing: message.bytes) == message)
            if case .carried(let carried) = message {
                let longer = try? MessageFromSite(parsing: message.bytes + [0])
                #expect((longer == nil) == (carried.message.count == 896))
                continue
            }
            #expect(throws: SiteLinkError.self) { try MessageFromSite(parsing: message.bytes + [0]) }
            #expect(throws: SiteLinkError.self) { try MessageFromSite(parsing: [UInt8](message.bytes.dropLast())) }
        }
    }

    @Test("Kinds and refusals that there are not are refused")
    func unknownKinds() throws {
        for kind in [UInt8(0), 11, 128, 255] {
            #expect(throws: SiteLinkError.protocolViolation) { try MessageToSite(parsing: [kind]) }
            #expect(throws: SiteLinkError.protocolViolation) { try MessageFromSite(parsing: [kind]) }
        }
        for refusal in [UInt8(0), 9, 255] {
            #expect(throws: SiteLinkError.protocolViolation) { try MessageFromSite(parsing: [6, refusal]) }
        }
        for kind in [UInt8(9), 10] {
            for rest in [[], [0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0, 1]] as [[UInt8]] {
                #expect(throws: SiteLinkError.protocolViolation) { try MessageToSite(parsing: [kind] + rest) }
                #expect(throws: SiteLinkError.protocolViolation) { try MessageFromSite(parsing: [kind] + rest) }
            }
        }
        #expect(throws: SiteLinkError.protocolViolation) { try MessageToSite(parsing: [9, 0, 0, 0, 1]) }
        #expect(throws: SiteLinkError.protocolViolation) { try MessageToSite(parsing: []) }
        #expect(throws: SiteLinkError.protocolViolation) { try MessageFromSite(parsing: []) }
    }

    @Test("A message has 1 to 64 entries, all of them whole, of the known layout")
    func entryCounts() throws {
        let entry = try Fixture.revocation().bytes
        let many = [[UInt8]](repeating: entry, count: 65).flatMap { $0 }
        for content in [[], many, [UInt8](entry.dropLast()), entry + entry.dropLast()] {
            #expect(throws: SiteLinkError.protocolViolation) { try MessageToSite(parsing: [2] + content) }
            #expect(throws: SiteLinkError.protocolViolation) { try MessageFromSite(parsing: [2] + content) }
        }
        let newer = entry + [2] + entry.dropFirst()
        #expect(throws: SiteLinkError.unknownVersion) { try MessageToSite(parsing: [2] + newer) }
        #expect(throws: SiteLinkError.unknownVersion) { try MessageFromSite(parsing: [2] + newer) }
        #expect(try MessageFromSite(parsing: [2] + many.dropLast(entry.count)).bytes.count == 7_809)
    }

    @Test("A hello has versions and times that there are, and a short printable program")
    func hellos() throws {
        let good = MessageToSite.hello(try Fixture.hello()).bytes
        #expect(good.count == 1 + 33 + 15)
        for (position, value, error): (Int, [UInt8], SiteLinkError) in [
            (1, [2], .unknownVersion), (2, [0, 0, 0, 0], .protocolViolation), (6, [0, 0, 0, 0], .protocolViolation),
            (10, [0, 0, 0, 0], .protocolViolation), (14, [0, 0, 0, 0], .protocolViolation),
            (26, [0, 0, 1], .protocolViolation), (34, [0x1F], .protocolViolation), (34, [0x7F], .protocolViolation),
        ] {
            var bytes = good
            bytes.replaceSubrange(position..<position + value.count, with: value)
            #expect(throws: error, "position \(position)") { try MessageToSite(parsing: bytes) }
        }
        let bare = [UInt8](good.prefix(34))
        for count in [0, 32] {
            let message = try MessageToSite(parsing: bare + [UInt8](repeating: 0x7E, count: count))
            #expect(message.bytes.count == 34 + count)
        }
        #expect(throws: SiteLinkError.protocolViolation) {
            try MessageToSite(parsing: bare + [UInt8](repeating: 0x7E, count: 33))
        }
        for count in 1..<34 {
            #expect(throws: SiteLinkError.self) { try MessageToSite(parsing: [UInt8](good.prefix(count))) }
        }
    }

    @Test("A greeting has a version, a certificate and a document, and nothing else")
    func greetings() throws {
        let greeting = try Fixture.greeting()
        #expect(try SiteGreeting(parsing: greeting.bytes) == greeting)
        #expect(greeting.certificate.serverKey == Fixture.server && greeting.bytes.count == 1 + 113 + 326)
        for count in 0..<greeting.bytes.count {
            #expect(throws: SiteLinkError.self) { try SiteGreeting(parsing: [UInt8](greeting.bytes.prefix(count))) }
        }
        #expect(throws: SiteLinkError.protocolViolation) { try SiteGreeting(parsing: greeting.bytes + [0]) }
        for position in [0, 1, 114] {
            var newer = greeting.bytes
            newer[position] = 2
            #expect(throws: SiteLinkError.unknownVersion) { try SiteGreeting(parsing: newer) }
        }
    }

    @Test("The longest of each fits its frame")
    func longest() throws {
        let entries = MessageToSite.entries(try (0..<64).map { try Fixture.revocation($0) })
        #expect(entries.bytes.count + 17 <= SiteFrames.messageLimit)
        let longestGreeting = 1 + SiteServerCertificate.byteCount + 818
        #expect(longestGreeting == 932 && longestGreeting <= SiteFrames.openingLimit)
    }

    @Test("The prologue has label, purpose, length and bytes of the greeting, and a join code's id")
    func prologues() throws {
        let greeting = [UInt8](repeating: 5, count: 0x0140)
        let link = Array("boxlink-site/1".utf8) + [1, 1, 0x40] + greeting
        #expect(SitePrologue.bytes(greeting: greeting, codeID: nil) == link)
        let join = Array("boxlink-site/1".utf8) + [2, 1, 0x40] + greeting + Fixture.codeID
        #expect(SitePrologue.bytes(greeting: greeting, codeID: Fixture.codeID) == join)
    }
}
