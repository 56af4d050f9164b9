import Secrets
import TestSupport
import Testing

@testable import SiteTrust

@Suite("Layouts of what a site signs")
struct SiteLayoutTests {
    private typealias Fixture = SiteFixture

    /// A kind of signed object: valid bytes, and a verifier that throws or returns the same bytes.
    struct Kind: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let bytes: [UInt8]
        let lengths: ClosedRange<Int>
        let verify: @Sendable ([UInt8]) throws -> [UInt8]
    }

    static let kinds: [Kind] = {
        do {
            let pin = try SiteFixture.pin()
            let box = try SiteFixture.freshBox()
            let (groups, now) = (SiteFixture.groups([1]), SiteFixture.clock(1000))
            return [
                Kind(
                    testDescription: "site document", bytes: try SiteFixture.document(version: 4).bytes,
                    lengths: 162...818
                ) { bytes in
                    var (pin, tally) = (pin, SignatureTally())
                    _ = try pin.take(ClaimedSiteDocument(parsing: bytes), tally: &tally)
                    return pin.bytes
                },
                Kind(testDescription: "grant", bytes: try SiteFixture.grant().bytes, lengths: 151...228) { bytes in
                    var tally = SignatureTally()
                    let claimed = try ClaimedGrant(parsing: bytes)
                    return try GrantCheck(site: box, groups: groups)
                        .admit(claimed, phoneKey: claimed.facts.phoneKey, now: now, tally: &tally).bytes
                },
                Kind(
                    testDescription: "box certificate", bytes: try SiteFixture.certificate().bytes, lengths: 141...141
                ) { bytes in
                    var tally = SignatureTally()
                    let claimed = try ClaimedSiteBoxCertificate(parsing: bytes)
                    return try BoxCertificateCheck(site: PhoneSite(pin: pin), groups: groups).admit(
                        claimed, boxKey: claimed.facts.boxKey, boxID: nil, clock: SiteFixture.start, tally: &tally
                    ).bytes
                },
                Kind(
                    testDescription: "revocation",
                    bytes: try SiteFixture.revocation(.user(SiteFixture.user, upTo: 9)).bytes, lengths: 122...122
                ) { bytes in
                    var tally = SignatureTally()
                    return try ClaimedRevocation(parsing: bytes).verify(pin, tally: &tally).bytes
                },
                Kind(testDescription: "head", bytes: try SiteFixture.head().bytes, lengths: 137...137) { bytes in
                    var tally = SignatureTally()
                    return try ClaimedRevocationHead(parsing: bytes).verify(pin, after: nil, tally: &tally).bytes
                },
            ]
        } catch {
            preconditionFailure("the fixture is good: \(error)")
        }
    }()

    @Test("What is signed is believed as it is, and with any byte changed it is not", arguments: kinds)
    func flips(kind: Kind) throws {
        #expect(try kind.verify(kind.bytes) == kind.bytes)
        for index in kind.bytes.indices {
            for change: UInt8 in [0x01, 0x80, 0xFF] {
                var changed = kind.bytes
                changed[index] ^= change
                #expect(throws: (any Error).self, "byte \(index)") { try kind.verify(changed) }
            }
        }
    }

    @Test("Any other length and any other version is refused", arguments: kinds)
    func lengths(kind: Kind) throws {
        for count in 0..<kind.bytes.count {
            #expect(throws: SiteError.self) { try kind.verify([UInt8](kind.bytes.prefix(count))) }
        }
        for more in [1, 2, 41, 1000] {
            #expect(throws: SiteError.self) { try kind.verify(kind.bytes + [UInt8](repeating: 0, count: more)) }
        }
        #expect(throws: SiteError.wrongLength) { try kind.verify([]) }
        #expect(throws: SiteError.wrongLength) {
            try kind.verify([UInt8](kind.bytes.prefix(kind.lengths.lowerBound - 1)))
        }
        #expect(throws: SiteError.wrongLength) {
            try kind.verify(kind.bytes + [UInt8](repeating: 1, count: kind.lengths.upperBound + 1 - kind.bytes.count))
        }
        for version: UInt8 in [0, 2, 255] {
            #expect(throws: SiteError.unknownVersion) { try kind.verify([version]) }
            #expect(throws: SiteError.unknownVersion) { try kind.verify([version] + kind.bytes.dropFirst()) }
        }
    }

    @Test("A signature of one kind, or for another site, is none of another kind or site", arguments: kinds)
    func contexts(kind: Kind) throws {
        let content = SiteSignature.content(kind.bytes)
        let contexts: [StaticString] = [
            SiteSignature.grant, SiteSignature.boxCertificate, SiteSignature.document, SiteSignature.revocation,
            SiteSignature.head,
        ]
        var accepted = 0
        for signer in SiteFixture.Signer.allCases {
            for context in contexts {
                let key = Fixture.key(signer)
                let bytes = SiteSignature.sign(content, context, site: Fixture.site, by: key)
                if (try? kind.verify(bytes)) != nil { accepted += 1 }
                let foreign = SiteSignature.sign(content, context, site: Fixture.otherSite, by: key)
                #expect(throws: (any Error).self) { try kind.verify(foreign) }
            }
        }
        #expect(accepted == 1, "one key, in one context")
    }

    @Test("What cannot be signed cannot be read either")
    func fields() throws {
        let time = SiteSeconds.limit
        #expect(throws: SiteError.invalidField) { try Fixture.grantFacts(expiry: time) }
        #expect(throws: SiteError.invalidField) { try Fixture.certificate(expiry: time) }
        #expect(throws: SiteError.invalidField) { try Fixture.head(time: time) }
        #expect(throws: SiteError.invalidField) { try Fixture.revocation(.box(key: Fixture.box), expiry: time) }
        #expect(throws: SiteError.invalidField) { try Fixture.revocation(.box(key: [1])) }
        let notices: [(String, UInt64, Int)] = [
            ("4711", 1, 5), ("00471a", 1, 5), ("004711", 1, 6), ("004711", time, 5),
        ]
        for (boxID, when, count) in notices {
            #expect(throws: SiteError.invalidField, "\(boxID)") {
                try EnrolmentNotice(
                    user: Fixture.user, boxID: Array(boxID.utf8), time: when,
                    device: [UInt8](repeating: 1, count: count))
            }
        }
        for user in ["", "-a", "a/b", "a:b", "..", "a\u{0}", String(repeating: "u", count: 65)] {
            #expect(throws: SiteError.invalidField, "\(user)") { try Fixture.grantFacts(user: Array(user.utf8)) }
        }
        for boxID in ["", "4711", "47110", "0047110", "00471a", "００４７"] {
            #expect(throws: SiteError.invalidField, "\(boxID)") { try Fixture.certificate(boxID: boxID) }
        }
        for groups: [UInt16] in [[], [0], [2, 1], [1, 1], [0, 1], [1, 2, 3, 4, 5, 6, 7, 8, 9]] {
            #expect(SiteGroups(groups) == nil, "\(groups)")
        }
        // A gap in a field of groups, and a mode that no grant has.
        let gap = [UInt8](repeating: 0, count: 2) + [0, 1] + [UInt8](repeating: 0, count: 12)
        #expect(throws: SiteError.invalidField) { try SiteGroups(field: gap) }
        #expect(throws: SiteError.invalidField) { try SiteGroups(field: [UInt8](repeating: 0, count: 16)) }
        var grant = try Fixture.grant().bytes
        grant[57] = 1
        #expect(throws: SiteError.invalidField) { try ClaimedGrant(parsing: grant) }
        for (kind, rest) in [(UInt8(0), UInt8(0)), (4, 0), (5, 0), (2, 1)] {
            var entry = try Fixture.revocation(.user(Fixture.user, upTo: 1)).bytes
            (entry[1], entry[33]) = (kind, rest)
            #expect(throws: SiteError.invalidField) { try ClaimedRevocation(parsing: entry) }
        }
    }

    @Test("Several groups in fields come out one behind the other, and what is not whole fields is refused")
    func groupFields() throws {
        let all = [[1], [3, 7], [1, 2, 3, 4, 5, 6, 7, 65_535]].map { Fixture.groups($0) }
        #expect(try SiteGroups.several(fields: all.flatMap(\.field)) == all)
        #expect(try SiteGroups.several(fields: []) == [])
        #expect(throws: SiteError.wrongLength) { try SiteGroups.several(fields: [UInt8](all[1].field.dropLast())) }
        #expect(throws: SiteError.invalidField) {
            try SiteGroups.several(fields: all[1].field + [UInt8](repeating: 0, count: 16))
        }
    }

    @Test("Random facts come out of their bytes as they went in", arguments: seeds)
    func roundTrips(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        print("seed \(seed)")
        func some(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255, using: &random) } }
        func someKey() -> [UInt8] { some(31) + [.random(in: 0...0x7E, using: &random)] }
        for _ in 0..<50 {
            let numbers = Set(
                (0..<Int.random(in: 1...8, using: &random)).map { _ in UInt16.random(in: 1...(.max), using: &random) })
            let expiry = UInt64.random(in: 0..<SiteSeconds.limit, using: &random)
            let ordinal = Fixture.ordinal(
                .random(in: 1...(.max), using: &random), .random(in: 1...(.max), using: &random))
            let facts = try Fixture.grantFacts(
                phone: someKey(),
                user: (0..<Int.random(in: 1...64, using: &random)).map { _ in .random(in: 0x80...0xFF, using: &random)
                },
                userID: Fixture.userID(some(16)), groups: numbers.sorted(),
                mode: .allCases[Int.random(in: 0...1, using: &random)], generation: ordinal,
                number: random.next(), expiry: expiry)
            let grant = try Fixture.grant(facts)
            #expect(grant.facts == facts && grant.bytes.count == 148 + 2 * numbers.count + facts.user.count)
            let kept = try Grant.issue(facts, site: Fixture.site, issuer: Fixture.key(.phones))
            #expect(try Grant(kept: kept.kept) == kept)
            let certificate = try Fixture.certificate(boxKey: someKey(), groups: numbers.sorted(), expiry: expiry)
            #expect(certificate.facts.expiry == expiry && certificate.facts.groups.numbers == numbers.sorted())
            let subjects: [RevokedSubject] = [
                .phone(key: some(32)), .user(Fixture.userID(some(16)), upTo: random.next()), .box(key: some(32)),
                .enrolment(
                    try EnrolmentNotice(
                        user: Fixture.userID(some(16)), boxID: Array("004711".utf8), time: expiry, device: some(5))),
            ]
            for subject in subjects {
                let entry = try Fixture.revocation(subject, expiry: expiry, generation: ordinal)
                #expect(try Fixture.claimed(entry).facts.subject == subject && entry.facts.expiry == expiry)
                #expect(try Revocation(kept: entry.bytes) == entry && entry.bytes.count == 122)
            }
            let head = try Fixture.head(number: random.next(), time: expiry, generation: ordinal, document: ordinal)
            #expect(head.facts.time == expiry && head.facts.generation == ordinal && head.facts.document == ordinal)
        }
    }
}
