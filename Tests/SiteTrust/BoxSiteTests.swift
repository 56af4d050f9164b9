import Secrets
import Testing

@testable import SiteTrust

@Suite("What a box takes from its site")
struct BoxSiteTests {
    private typealias Fixture = SiteFixture

    private func expect(
        _ error: SiteError, _ head: ClaimedRevocationHead, at site: BoxSite,
        _ location: SourceLocation = #_sourceLocation
    ) {
        var (changed, tally) = (site, SignatureTally())
        #expect(throws: error, sourceLocation: location) {
            try changed.take(head, at: Fixture.clock(1060), tally: &tally)
        }
        #expect(changed == site && tally.count <= 1, sourceLocation: location)
    }

    @Test("A newer head of the same entries is taken; the held one again changes nothing and costs nothing")
    func newerHead() throws {
        var site = try Fixture.freshBox()
        var tally = SignatureTally()
        let newer = try Fixture.head(time: Fixture.start + 60)
        #expect(try site.take(newer, at: Fixture.clock(1060), tally: &tally) == .fresh && tally.count == 1)
        let before = site
        #expect(try site.take(newer, at: Fixture.clock(9000), tally: &tally) == .none && tally.count == 1)
        #expect(site == before)
        let sameSecond = try Fixture.head(number: 2, time: Fixture.start + 60)
        #expect(try site.take(sameSecond, at: Fixture.clock(1060), tally: &tally) == .fresh)
    }

    @Test("A head with a lower number, an earlier time, or nothing new is refused")
    func headRollback() throws {
        var site = try Fixture.freshBox()
        var tally = SignatureTally()
        _ = try site.take(Fixture.head(number: 5, time: Fixture.start + 50), at: Fixture.clock(1050), tally: &tally)
        expect(.olderNumber, try Fixture.head(number: 4, time: Fixture.start + 60), at: site)
        expect(.olderTime, try Fixture.head(number: 6, time: Fixture.start + 49), at: site)
        let set = try RevocationSet.of(Fixture.revocation(.box(key: Fixture.box)))
        expect(.olderTime, try Fixture.head(of: set, number: 5, time: Fixture.start + 50), at: site)
    }

    @Test("A head of another generation, document, issuer, role, site or key is refused")
    func wrongHeads() throws {
        let site = try Fixture.freshBox(pin: Fixture.pin(Fixture.document(generation: 2)), generation: 2)
        let (time, generation) = (Fixture.start + 60, Fixture.ordinal(1, 2))
        expect(.olderGeneration, try Fixture.head(time: time, generation: Fixture.ordinal(1, 1)), at: site)
        expect(.needsDocument, try Fixture.head(time: time, generation: Fixture.ordinal(1, 3)), at: site)
        expect(.needsDocument, try Fixture.head(time: time, generation: Fixture.ordinal(2, 1)), at: site)
        expect(
            .needsDocument, try Fixture.head(time: time, generation: generation, document: Fixture.ordinal(1, 4)),
            at: site)
        expect(.unknownIssuer, try Fixture.head(time: time, generation: generation, by: .stranger), at: site)
        expect(.wrongRole, try Fixture.head(time: time, generation: generation, by: .phones), at: site)
        expect(.notSigned, try Fixture.head(time: time, generation: generation, site: Fixture.otherSite), at: site)
        let set = try RevocationSet.of(Fixture.revocation(.box(key: Fixture.box), generation: generation))
        expect(.setDiffers, try Fixture.head(of: set, number: 2, time: time, generation: generation), at: site)
        let over = Fixture.start + 400 * Fixture.day
        expect(.issuerExpired, try Fixture.head(time: over, generation: generation), at: site)
    }

    @Test("An entry of another generation, issuer, role, site or key is refused, and changes nothing")
    func wrongEntries() throws {
        let site = try Fixture.freshBox(pin: Fixture.pin(Fixture.document(generation: 2)), generation: 2)
        let (subject, generation) = (RevokedSubject.phone(key: Fixture.phone), Fixture.ordinal(1, 2))
        let wrong: [(SiteError, Revocation)] = [
            (.olderGeneration, try Fixture.revocation(subject, generation: Fixture.ordinal(1, 1))),
            (.needsDocument, try Fixture.revocation(subject, generation: Fixture.ordinal(1, 3))),
            (.unknownIssuer, try Fixture.revocation(subject, generation: generation, by: .stranger)),
            (.wrongRole, try Fixture.revocation(subject, generation: generation, by: .boxes)),
            (.notSigned, try Fixture.revocation(subject, generation: generation, site: Fixture.otherSite)),
        ]
        for (error, entry) in wrong {
            var (changed, tally) = (site, SignatureTally())
            #expect(throws: error) { try changed.take(Fixture.claimed(entry), tally: &tally) }
            #expect(changed == site)
        }
        var (changed, tally) = (site, SignatureTally())
        let good = try Fixture.revocation(subject, generation: generation)
        #expect(try changed.take(Fixture.claimed(good), tally: &tally) == true && tally.count == 1)
        #expect(try changed.take(Fixture.claimed(good), tally: &tally) == false && tally.count == 1)
    }

    @Test("Entries that have expired at the head's time are forgotten, and not taken again")
    func expiry() throws {
        let (short, long) = (
            try Fixture.revocation(.phone(key: Fixture.phone), expiry: Fixture.start + 100),
            try Fixture.revocation(.box(key: Fixture.box), expiry: Fixture.start + 200)
        )
        var site = try Fixture.freshBox([short, long])
        var tally = SignatureTally()
        let later = try Fixture.head(of: RevocationSet.of(long), number: 2, time: Fixture.start + 100)
        #expect(try site.take(later, at: Fixture.clock(1100), tally: &tally) == .fresh)
        #expect(site.revocations.entries == [long])
        #expect(try site.take(Fixture.claimed(short), tally: &tally) == false && site.revocations.entries == [long])
    }

    @Test("A box that is ahead of a restored server keeps its entries, and takes the head that has them again")
    func ahead() throws {
        let (known, lost) = (
            try Fixture.revocation(.phone(key: Fixture.phone)), try Fixture.revocation(.box(key: Fixture.box))
        )
        var site = try Fixture.freshBox([known, lost])
        var server = try RevocationSet.of(known)
        expect(.setDiffers, try Fixture.head(of: server, number: 2, time: Fixture.start + 60), at: site)
        for entry in site.revocations.subtracting(server) { _ = try server.insert(entry) }
        var tally = SignatureTally()
        let repaired = try Fixture.head(of: server, number: 3, time: Fixture.start + 60)
        #expect(try site.take(repaired, at: Fixture.clock(1060), tally: &tally) == .fresh)
    }

    @Test("A new generation resets set, number and time: a server whose clock was in 2038 does not end the site")
    func newGeneration() throws {
        let late: UInt64 = 2_147_483_647
        var site = try Fixture.freshBox(
            [Fixture.revocation(.phone(key: Fixture.phone), expiry: late + 100)],
            pin: Fixture.pin(
                Fixture.document(issuers: [Fixture.issuer(.revocations, .revocations, expiry: late + 900)])), time: late
        )
        var tally = SignatureTally()
        expect(.olderTime, try Fixture.head(number: 9, time: Fixture.start), at: site)
        let document = try Fixture.claimed(Fixture.document(version: 4, generation: 2))
        #expect(try site.take(document, tally: &tally) == .newGeneration)
        #expect(site.head == nil && site.revocations.entries.isEmpty)
        #expect(site.time.seconds(at: Fixture.clock(1000)) == nil && !site.allowance.isPaid(at: Fixture.clock(1000)))
        let head = try Fixture.head(
            number: 1, generation: Fixture.ordinal(1, 2), document: Fixture.ordinal(1, 4))
        #expect(try site.take(head, at: Fixture.clock(1060), tally: &tally) == .fresh)
        #expect(site.time.seconds(at: Fixture.clock(1060)) == Fixture.start)
    }

    @Test("A document of the same generation keeps entries, head, time and allowance, also those of an issuer it drops")
    func newerDocument() throws {
        var site = try Fixture.freshBox([Fixture.revocation(.phone(key: Fixture.phone))])
        let before = site
        var tally = SignatureTally()
        let issuers = [Fixture.issuers[1], Fixture.issuer(.stranger, .revocations)]
        let document = try Fixture.claimed(Fixture.document(version: 4, issuers: issuers))
        #expect(try site.take(document, tally: &tally) == .newerVersion)
        #expect(site.revocations == before.revocations && site.head == before.head && site.time == before.time)
        // A box that joins now cannot verify the dropped issuer's entry, so a signed status leaves the entry out.
        let head = try Fixture.head(
            number: 2, time: Fixture.start + 60, document: Fixture.ordinal(1, 4), listed: issuers, by: .stranger)
        #expect(try site.take(head, at: Fixture.clock(1060), tally: &tally) == .fresh)
        #expect(site.revocations.entry(covering: try Fixture.grantFacts()) != nil)
    }

    @Test("A document that brings no newer version changes nothing")
    func documentRollback() throws {
        let site = try Fixture.freshBox()
        for old in [try Fixture.document(version: 2), try Fixture.document(version: 3, issuers: [])] {
            var (changed, tally) = (site, SignatureTally())
            #expect(throws: SiteError.self) { try changed.take(Fixture.claimed(old), tally: &tally) }
            #expect(changed == site)
        }
    }

    @Test("What was kept comes back, without a signature looked at; of another generation nothing does")
    func kept() throws {
        let site = try Fixture.freshBox([Fixture.revocation(.phone(key: Fixture.phone))])
        let entries = try site.revocations.entries.map { try Revocation(kept: $0.bytes) }
        let head = try RevocationHead(kept: #require(site.head).bytes)
        let again = try BoxSite(
            pin: site.pin, revocations: entries, head: head, time: site.time, allowance: site.allowance)
        #expect(again == site)
        let later = try BoxSite(
            pin: Fixture.pin(Fixture.document(version: 4, generation: 2)), revocations: entries, head: head,
            time: site.time, allowance: site.allowance)
        #expect(
            later.revocations.entries.isEmpty && later.head == nil && !later.allowance.isPaid(at: Fixture.clock(1000)))
        #expect(later.time.seconds(at: Fixture.clock(1000)) == nil)
    }

    @Test(
        "A revoked grant does not come back with a power cut, where the head that forgot it is later than the written time"
    )
    func forgottenStaysExpired() throws {
        let end = Fixture.start + 100
        var site = try Fixture.freshBox([Fixture.revocation(.phone(key: Fixture.phone), expiry: end)])
        let written = try #require(site.time.record(at: Fixture.clock(1000)))
        var tally = SignatureTally()
        _ = try site.take(Fixture.head(number: 2, time: end), at: Fixture.clock(1100), tally: &tally)
        let now = Fixture.clock(5, boot: 2)
        let booted = try BoxSite(
            pin: site.pin, revocations: site.revocations.entries, head: site.head, time: SiteTime(written, now: now),
            allowance: OfflineAllowance(.init(spentHours: 1, until: Fixture.clock(3605, boot: 2))))
        let check = GrantCheck(site: booted, groups: Fixture.groups([1]))
        let grant = try Fixture.grant(Fixture.grantFacts(expiry: end))
        #expect(throws: GrantRefusal.expired) {
            try check.admit(grant, phoneKey: Fixture.phone, now: now, tally: &tally)
        }
    }
}

extension RevocationSet {
    static func of(_ entries: Revocation...) throws -> RevocationSet {
        var set = RevocationSet()
        for entry in entries { _ = try set.insert(entry) }
        return set
    }
}
