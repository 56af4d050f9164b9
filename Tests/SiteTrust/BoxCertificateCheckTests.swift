import Secrets
import Testing

@testable import SiteTrust

@Suite("Whether a phone believes a box of its site")
struct BoxCertificateCheckTests {
    private typealias Fixture = SiteFixture

    private func check(_ site: PhoneSite? = nil, groups: [UInt16] = [1]) throws -> BoxCertificateCheck {
        BoxCertificateCheck(site: try site ?? PhoneSite(pin: Fixture.pin()), groups: Fixture.groups(groups))
    }

    private func phone(hearing entries: Revocation...) throws -> PhoneSite {
        var (site, tally) = (PhoneSite(pin: try Fixture.pin()), SignatureTally())
        for entry in entries { _ = try site.take(Fixture.claimed(entry), tally: &tally) }
        return site
    }

    private func expect(
        _ refusal: BoxCertificateRefusal, _ reason: SiteReason, _ claimed: ClaimedSiteBoxCertificate,
        _ check: BoxCertificateCheck? = nil, boxKey: [UInt8] = SiteFixture.box, boxID: String? = "004711",
        clock: UInt64 = SiteFixture.start, checks: Int = 0, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let (check, boxID) = (try check ?? self.check(), boxID.map { Array($0.utf8) })
        var tally = SignatureTally()
        #expect(throws: refusal, sourceLocation: location) {
            try check.admit(claimed, boxKey: boxKey, boxID: boxID, clock: clock, tally: &tally)
        }
        #expect(tally.count == checks && SiteReason(refusal) == reason, sourceLocation: location)
        guard refusal != .notSigned, refusal != .otherSite else { return }
        let signer = try #require(
            SiteFixture.Signer.allCases.first { IssuerKeyID(of: Fixture.key($0).publicKey) == claimed.issuer })
        let known = try SiteBoxCertificate.issue(claimed.facts, site: Fixture.site, issuer: Fixture.key(signer))
        #expect(throws: refusal, sourceLocation: location) {
            try check.readmit(known, boxKey: boxKey, boxID: boxID, clock: clock)
        }
    }

    @Test("A box of the site is believed with one signature looked at, and the same certificate later with none")
    func good() throws {
        var tally = SignatureTally()
        let certificate = try check().admit(
            Fixture.certificate(), boxKey: Fixture.box, boxID: nil, clock: Fixture.start, tally: &tally)
        #expect(tally.count == 1 && certificate.bytes.count == 141)
        try check().readmit(certificate, boxKey: Fixture.box, boxID: Array("004711".utf8), clock: Fixture.start)
    }

    @Test("A certificate of another site, key, box ID, group, role or signer is refused")
    func wrongCertificates() throws {
        try expect(.otherSite, .notAccepted, Fixture.certificate(site: Fixture.otherSite))
        try expect(.otherKey, .notAccepted, Fixture.certificate(), boxKey: Fixture.phone)
        try expect(.otherBoxID, .notAccepted, Fixture.certificate(), boxID: "004712")
        try expect(.otherGroups, .notHere, Fixture.certificate(groups: [7]))
        try expect(.wrongRole, .notAccepted, Fixture.certificate(by: .phones))
        try expect(.unknownIssuer, .needsDocument, Fixture.certificate(by: .stranger))
        // Contents that claim this site and its issuer, with a signature for another site or by an unknown key.
        let content = SiteSignature.content(try Fixture.certificate().bytes)
        for (site, signer) in [(Fixture.otherSite, SiteFixture.Signer.boxes), (Fixture.site, .stranger)] {
            let forged = SiteSignature.sign(content, SiteSignature.boxCertificate, site: site, by: Fixture.key(signer))
            try expect(.notSigned, .notAccepted, ClaimedSiteBoxCertificate(parsing: forged), checks: 1)
        }
    }

    @Test("A certificate ends with its expiry or with its issuer's, by the phone's clock")
    func expiry() throws {
        try expect(.expired, .boxCutOff, Fixture.certificate(), clock: Fixture.start + Fixture.day)
        try expect(.issuerExpired, .boxCutOff, Fixture.certificate(), clock: 2_147_483_648)
        let short = try Fixture.document(issuers: [Fixture.issuer(.boxes, .boxes, expiry: Fixture.start)])
        try expect(.issuerExpired, .boxCutOff, Fixture.certificate(), check(PhoneSite(pin: Fixture.pin(short))))
    }

    @Test(
        "A phone whose clock is in 1970 goes by the newest head that it was shown, and without one refuses nothing for it"
    )
    func clockIn1970() throws {
        var site = PhoneSite(pin: try Fixture.pin())
        var tally = SignatureTally()
        let certificate = try Fixture.certificate()
        _ = try check(site).admit(certificate, boxKey: Fixture.box, boxID: nil, clock: 5, tally: &tally)
        let head = try Fixture.head(time: Fixture.start + Fixture.day)
        #expect(try site.take(head, tally: &tally) == true)
        #expect(try site.take(head, tally: &tally) == false && site.seconds(clock: 5) == Fixture.start + Fixture.day)
        try expect(.expired, .boxCutOff, certificate, check(site), clock: 5)
        #expect(throws: SiteError.olderTime) { try site.take(Fixture.head(number: 2), tally: &tally) }
        #expect(throws: SiteError.notSigned) {
            try site.take(
                Fixture.head(number: 2, time: Fixture.start + 2 * Fixture.day, site: Fixture.otherSite), tally: &tally)
        }
    }

    @Test("A revoked box that the phone has heard of is refused; of others and of phones it keeps nothing")
    func revoked() throws {
        let (box, user) = (
            try Fixture.revocation(.box(key: Fixture.box)), try Fixture.revocation(.user(Fixture.user, upTo: 1))
        )
        let site = try phone(hearing: box, user, Fixture.revocation(.phone(key: Fixture.box)))
        #expect(site.revokedBoxes.entries == [box])
        try expect(.boxRevoked(box), .revoked, Fixture.certificate(), check(site), checks: 1)
        var tally = SignatureTally()
        _ = try check(site).admit(
            Fixture.certificate(boxKey: Fixture.phone), boxKey: Fixture.phone, boxID: nil, clock: Fixture.start,
            tally: &tally)
        let kept = try PhoneSite(pin: site.pin, revokedBoxes: site.revokedBoxes.entries, head: nil)
        #expect(kept == site)
    }

    @Test("What a phone hears is verified once, and what is not signed by the site is no word that ends anything")
    func heard() throws {
        var (site, tally) = (PhoneSite(pin: try Fixture.pin()), SignatureTally())
        let entry = try Fixture.claimed(Fixture.revocation(.box(key: Fixture.box)))
        #expect(try site.take(entry, tally: &tally).bytes == entry.bytes)
        #expect(try site.take(entry, tally: &tally).bytes == entry.bytes && tally.count == 1)
        let own = try site.take(Fixture.claimed(Fixture.revocation(.phone(key: Fixture.phone))), tally: &tally)
        #expect(own.facts.covers(try Fixture.grantFacts()))
        for (error, forged) in [
            (SiteError.notSigned, try Fixture.revocation(.phone(key: Fixture.phone), site: Fixture.otherSite)),
            (.unknownIssuer, try Fixture.revocation(.phone(key: Fixture.phone), by: .stranger)),
            (.wrongRole, try Fixture.revocation(.phone(key: Fixture.phone), by: .phones)),
        ] {
            #expect(throws: error) { try site.take(Fixture.claimed(forged), tally: &tally) }
        }
    }

    @Test("A new generation begins with no revoked box and no head; a newer version keeps them")
    func newGeneration() throws {
        var (site, tally) = (try phone(hearing: Fixture.revocation(.box(key: Fixture.box))), SignatureTally())
        _ = try site.take(Fixture.head(), tally: &tally)
        _ = try site.take(Fixture.claimed(Fixture.document(version: 4)), tally: &tally)
        #expect(site.head != nil && site.revokedBoxes.entries.count == 1)
        let old = site
        _ = try site.take(Fixture.claimed(Fixture.document(version: 5, generation: 2)), tally: &tally)
        #expect(site == PhoneSite(pin: site.pin))
        #expect(try PhoneSite(pin: site.pin, revokedBoxes: old.revokedBoxes.entries, head: old.head) == site)
    }

    @Test("Entries that have expired at the head's time are forgotten, and not taken again")
    func forgotten() throws {
        let short = try Fixture.revocation(.box(key: Fixture.box), expiry: Fixture.start + 9)
        var (site, tally) = (try phone(hearing: short), SignatureTally())
        _ = try site.take(Fixture.head(time: Fixture.start + 9), tally: &tally)
        #expect(site.revokedBoxes.entries.isEmpty)
        #expect(try site.take(Fixture.claimed(short), tally: &tally) == short && site.revokedBoxes.entries.isEmpty)
    }

    @Test("A box takes a certificate for its own key alone, by an issuer of boxes, within both times, for its site")
    func ownCertificate() throws {
        var tally = SignatureTally()
        let pin = try SiteFixture.pin()
        let good = try SiteFixture.certificate()
        let taken = try good.verify(pin, boxKey: SiteFixture.box, at: SiteFixture.start, tally: &tally)
        #expect(taken.facts == good.facts && tally.count == 1)
        #expect(try SiteBoxCertificate(kept: taken.bytes, issuerKey: taken.issuerKey) == taken)
        #expect(throws: SiteError.wrongLength) { _ = try SiteBoxCertificate(kept: taken.bytes, issuerKey: [1]) }
        func refusal(_ claimed: ClaimedSiteBoxCertificate, at time: UInt64? = SiteFixture.start) -> SiteError? {
            do throws(SiteError) {
                _ = try claimed.verify(pin, boxKey: SiteFixture.box, at: time, tally: &tally)
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal(good, at: nil) == nil)
        #expect(refusal(good, at: SiteFixture.start + SiteFixture.day) == .issuerExpired)
        #expect(refusal(good, at: SiteFixture.start + 400 * SiteFixture.day) == .issuerExpired)
        #expect(refusal(try SiteFixture.certificate(boxKey: SiteFixture.phone)) == .otherKey)
        #expect(refusal(try SiteFixture.certificate(site: SiteFixture.otherSite)) == .otherSite)
        #expect(refusal(try SiteFixture.certificate(by: .stranger)) == .unknownIssuer)
        #expect(refusal(try SiteFixture.certificate(by: .servers)) == .wrongRole)
        let forged = try ClaimedSiteBoxCertificate(parsing: good.bytes.dropLast() + [good.bytes[140] ^ 1])
        #expect(refusal(forged) == .notSigned)
    }
}
