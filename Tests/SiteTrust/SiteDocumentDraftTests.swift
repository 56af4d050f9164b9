import Secrets
import Testing

@testable import SiteTrust

@Suite("What the root's next document says")
struct SiteDocumentDraftTests {
    private typealias Fixture = SiteFixture

    private static let fresh: [IssuerRole: UInt8] = [.boxes: 51, .phones: 52, .revocations: 53, .servers: 54]

    private static func key(_ fill: UInt8) throws -> [UInt8] {
        try Ed25519KeyPair(seed: SecretBytes(copying: [UInt8](repeating: fill, count: 32))).publicKey
    }

    /// Returns a request of a server for new issuers of these roles.
    private static func request(
        _ roles: [IssuerRole] = IssuerRole.allCases, site: SiteID = Fixture.site,
        expiry: UInt64 = Fixture.start + 700 * Fixture.day
    ) throws -> SiteIssuerRequest {
        let issuers = try roles.map { role in
            try #require(SiteIssuer(role: role, key: key(fresh[role] ?? 0), expiry: expiry))
        }
        return try #require(SiteIssuerRequest(site: site, issuers: issuers))
    }

    private static func order(
        _ request: SiteIssuerRequest? = nil, drop: [String] = [], keep: [String] = [], generation: Bool = false
    ) -> SiteDocumentOrder {
        var order = SiteDocumentOrder()
        (order.request, order.dropped, order.kept, order.beginsGeneration) = (request, drop, keep, generation)
        return order
    }

    private static func id(_ signer: Fixture.Signer) -> String { IssuerKeyID(of: Fixture.key(signer).publicKey).text }

    @Test("New issuers stand beside those of before, and the pin takes the signed document")
    func adds() throws {
        let old = try Fixture.document()
        let draft = try SiteDocumentDraft(after: old.facts, Self.order(try Self.request()), at: Fixture.start)
        #expect(draft.facts.version == Fixture.ordinal(1, 4) && draft.facts.generation == old.facts.generation)
        #expect(draft.facts.issuers.count == 8 && draft.fates.filter { $0.fate == .added }.count == 4)
        var pin = try Fixture.pin(old)
        var tally = SignatureTally()
        let signed = try SiteDocument.sign(draft.facts, root: Fixture.key(.root))
        #expect(try pin.take(Fixture.claimed(signed), tally: &tally) == .newerVersion)
    }

    @Test("An issuer goes when its time is over, one of revocations when its last entry is")
    func ends() throws {
        let old = try Fixture.document().facts
        let request = try Self.request(expiry: Fixture.start + 900 * Fixture.day)
        let end = Fixture.start + 400 * Fixture.day
        let before = try SiteDocumentDraft(after: old, Self.order(request), at: end - 1)
        #expect(before.fates.allSatisfy { $0.fate != .ends })
        let behind = try SiteDocumentDraft(after: old, Self.order(request), at: end)
        let gone = behind.fates.filter { $0.fate == .ends }.map(\.issuer.role)
        #expect(gone == [.boxes, .phones, .servers])
        let month = end + SiteDocumentDraft.entryLife
        let last = try SiteDocumentDraft(after: old, Self.order(request), at: month)
        #expect(last.fates.filter { $0.fate == .ends }.count == 4 && last.facts.issuers.count == 4)
        let kept = try SiteDocumentDraft(after: old, Self.order(request, keep: [Self.id(.revocations)]), at: month)
        #expect(kept.facts.issuers.count == 5)
    }

    @Test("A dropped issuer is not listed, and nobody can be dropped for whom nobody comes")
    func drops() throws {
        let old = try Fixture.document().facts
        let short = String(Self.id(.phones).prefix(6)).uppercased()
        #expect(throws: SiteDraftError.nobodyFor(.phones)) {
            try SiteDocumentDraft(after: old, Self.order(drop: [short]), at: Fixture.start)
        }
        let draft = try SiteDocumentDraft(
            after: old, Self.order(try Self.request([.phones]), drop: [short]), at: Fixture.start)
        #expect(draft.facts.issuer(IssuerKeyID(of: Fixture.key(.phones).publicKey)) == nil)
        #expect(draft.fates.filter { $0.fate == .dropped }.map(\.issuer.role) == [.phones])
    }

    @Test("Key ids that name no issuer, or more than one, are said")
    func ids() throws {
        let old = try Fixture.document().facts
        for text in ["", "00000000", "xyz", Self.id(.stranger), Self.id(.boxes) + "0"] {
            #expect(throws: SiteDraftError.noSuchIssuer(text)) {
                try SiteDocumentDraft(after: old, Self.order(drop: [text]), at: Fixture.start)
            }
        }
        let many = try Fixture.document(issuers: Self.twoThatBeginAlike()).facts
        let first = String(try #require(many.issuers.first).keyID.text.prefix(1))
        #expect(throws: SiteDraftError.manyIssuers(first)) {
            try SiteDocumentDraft(after: many, Self.order(drop: [first]), at: Fixture.start)
        }
    }

    /// Returns two issuers whose key ids share the first digit. 17 keys always have such a pair.
    private static func twoThatBeginAlike() throws -> [SiteIssuer] {
        var seen: [Character: SiteIssuer] = [:]
        for fill in UInt8(100)..<200 {
            let issuer = try #require(
                SiteIssuer(role: .boxes, key: key(fill), expiry: Fixture.start + Fixture.day))
            let digit = try #require(issuer.keyID.text.first)
            if let other = seen[digit] { return [other, issuer].sorted { $0.precedes($1) } }
            seen[digit] = issuer
        }
        throw SiteDraftError.nothingChanges
    }

    @Test("A request of another site, one that is listed, and one that asks for the root's key are refused")
    func requests() throws {
        let old = try Fixture.document().facts
        #expect(throws: SiteDraftError.otherSite) {
            try SiteDocumentDraft(
                after: old, Self.order(try Self.request(site: Fixture.otherSite)), at: Fixture.start)
        }
        let request = try Self.request()
        let next = try SiteDocumentDraft(after: old, Self.order(request), at: Fixture.start).facts
        #expect(throws: SiteDraftError.self) {
            try SiteDocumentDraft(after: next, Self.order(request), at: Fixture.start)
        }
        let root = try #require(
            SiteIssuer(role: .boxes, key: Fixture.key(.root).publicKey, expiry: Fixture.start + Fixture.day))
        let rooted = try #require(SiteIssuerRequest(site: Fixture.site, issuers: [root]))
        #expect(throws: SiteDraftError.listedAlready(root.keyID)) {
            try SiteDocumentDraft(after: old, Self.order(rooted), at: Fixture.start)
        }
    }

    @Test("Nothing to change is said, and more than 16 issuers are")
    func bounds() throws {
        let old = try Fixture.document().facts
        #expect(throws: SiteDraftError.nothingChanges) {
            try SiteDocumentDraft(after: old, Self.order(), at: Fixture.start)
        }
        #expect(throws: SiteDraftError.nothingChanges) {
            try SiteDocumentDraft(after: old, Self.order(keep: [Self.id(.boxes)]), at: Fixture.start)
        }
        let many = try (UInt8(100)..<113).map { fill in
            try #require(SiteIssuer(role: .boxes, key: Self.key(fill), expiry: Fixture.start + Fixture.day))
        }
        let request = try #require(SiteIssuerRequest(site: Fixture.site, issuers: many))
        #expect(throws: SiteDraftError.tooMany(17)) {
            try SiteDocumentDraft(after: old, Self.order(request), at: Fixture.start)
        }
    }

    @Test("A new generation counts one more, and everything else stays")
    func generation() throws {
        let old = try Fixture.document().facts
        let draft = try SiteDocumentDraft(after: old, Self.order(generation: true), at: Fixture.start)
        #expect(draft.facts.generation == Fixture.ordinal(1, 2) && draft.facts.issuers == old.issuers)
        var pin = try Fixture.pin()
        var tally = SignatureTally()
        let signed = try SiteDocument.sign(draft.facts, root: Fixture.key(.root))
        #expect(try pin.take(Fixture.claimed(signed), tally: &tally) == .newGeneration)
    }

    @Test("The next root's first document is above all that the root before can sign, and names its own next root")
    func succession() throws {
        let old = try Fixture.document()
        let draft = try SiteDocumentDraft(
            succeeding: old.facts, by: Fixture.key(.nextRoot).publicKey, next: Fixture.key(.lastRoot).publicKey,
            Self.order(), at: Fixture.start)
        #expect(draft.facts.version == Fixture.ordinal(2, 1) && draft.facts.generation == Fixture.ordinal(2, 1))
        #expect(draft.beginsGeneration && draft.facts.issuers == old.facts.issuers)
        let signed = try SiteDocument.sign(draft.facts, root: Fixture.key(.nextRoot))
        var pin = try Fixture.pin(try Fixture.document(version: .max, generation: .max))
        var tally = SignatureTally()
        #expect(try pin.take(Fixture.claimed(signed), tally: &tally) == .newGeneration)
        let after = try SiteDocumentDraft(
            succeeding: signed.facts, by: Fixture.key(.lastRoot).publicKey, next: Fixture.key(.root).publicKey,
            Self.order(), at: Fixture.start)
        #expect(after.facts.version == Fixture.ordinal(3, 1))
        #expect(throws: SiteDraftError.otherRoot) {
            try SiteDocumentDraft(
                succeeding: old.facts, by: Fixture.key(.lastRoot).publicKey, next: Fixture.key(.root).publicKey,
                Self.order(), at: Fixture.start)
        }
    }

    @Test("A root that has counted to the end signs no more")
    func counted() throws {
        let last = try Fixture.document(version: .max).facts
        #expect(throws: SiteDraftError.noMoreVersions) {
            try SiteDocumentDraft(after: last, Self.order(try Self.request()), at: Fixture.start)
        }
        let aged = try Fixture.document(generation: .max).facts
        #expect(throws: SiteDraftError.noMoreVersions) {
            try SiteDocumentDraft(after: aged, Self.order(generation: true), at: Fixture.start)
        }
    }

    @Test("Both texts come out as they went in, and with one character changed they are damaged")
    func texts() throws {
        let document = SiteDocumentCode(try Fixture.claimed(try Fixture.document()))
        let request = try Self.request()
        #expect(try SiteDocumentCode(parsing: [0x0A] + document.text + [0x0A]) == document)
        #expect(try SiteIssuerRequest(parsing: request.text + [0x0D, 0x0A]) == request)
        #expect(document.text.count <= SiteDocumentCode.textLimit && request.text.count <= SiteIssuerRequest.textLimit)
        for index in 19..<document.text.count {
            #expect(throws: SiteTextError.damaged) { try SiteDocumentCode(parsing: Self.changed(document.text, index)) }
        }
        for index in 18..<request.text.count {
            #expect(throws: SiteTextError.damaged) { try SiteIssuerRequest(parsing: Self.changed(request.text, index)) }
        }
        for count in stride(from: 19, to: request.text.count, by: 7) {
            #expect(throws: SiteTextError.damaged) {
                try SiteIssuerRequest(parsing: [UInt8](request.text.prefix(count)))
            }
        }
        #expect(throws: SiteTextError.otherScheme) { try SiteDocumentCode(parsing: request.text) }
        #expect(throws: SiteTextError.otherScheme) { try SiteIssuerRequest(parsing: document.text) }
        var newer = request.text
        newer[16] = 0x32
        #expect(throws: SiteTextError.unknownVersion) { try SiteIssuerRequest(parsing: newer) }
    }

    private static func changed(_ text: [UInt8], _ index: Int) -> [UInt8] {
        var other = text
        other[index] = text[index] == 0x41 ? 0x42 : 0x41
        return other
    }
}
