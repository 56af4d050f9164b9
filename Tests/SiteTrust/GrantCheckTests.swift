import Secrets
import Testing

@testable import SiteTrust

@Suite("Whether a box lets in a phone of its site")
struct GrantCheckTests {
    private typealias Fixture = SiteFixture

    private func check(_ site: BoxSite? = nil, groups: [UInt16] = [1, 7]) throws -> GrantCheck {
        GrantCheck(site: try site ?? Fixture.freshBox(), groups: Fixture.groups(groups))
    }

    /// Expects the refusal at a first and at a later visit. `checks` is the number of verified signatures.
    private func expect(
        _ refusal: GrantRefusal, _ reason: SiteReason, _ claimed: ClaimedGrant, _ check: GrantCheck? = nil,
        phone: [UInt8] = SiteFixture.phone, now: BootClock = SiteFixture.clock(1000), checks: Int = 0,
        isReadmitted: Bool = false, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let check = try check ?? self.check()
        var tally = SignatureTally()
        #expect(throws: refusal, sourceLocation: location) {
            try check.admit(claimed, phoneKey: phone, now: now, tally: &tally)
        }
        #expect(tally.count == checks && SiteReason(refusal) == reason, sourceLocation: location)
        guard !isReadmitted, refusal != .notSigned else { return }
        let signer = try #require(
            SiteFixture.Signer.allCases.first { IssuerKeyID(of: Fixture.key($0).publicKey) == claimed.issuer })
        let known = try Grant.issue(claimed.facts, site: Fixture.site, issuer: Fixture.key(signer))
        #expect(throws: refusal, sourceLocation: location) { try check.readmit(known, phoneKey: phone, now: now) }
    }

    @Test("A grant is let in with one signature looked at, and later with none, also when it was kept on disk")
    func good() throws {
        let check = try check()
        var tally = SignatureTally()
        let grant = try check.admit(Fixture.grant(), phoneKey: Fixture.phone, now: Fixture.clock(1000), tally: &tally)
        #expect(try tally.count == 1 && grant.facts == Fixture.grantFacts())
        try check.readmit(grant, phoneKey: Fixture.phone, now: Fixture.clock(1000))
        try check.readmit(Grant(kept: grant.kept), phoneKey: Fixture.phone, now: Fixture.clock(1000))
        #expect(try grant.hash.count == 16 && grant.hash == Fixture.grant().hash)
    }

    @Test("A first visit with a newer document looks at two signatures, of three that it may")
    func firstVisit() throws {
        var site = try Fixture.freshBox()
        var tally = SignatureTally()
        let issuers = [Fixture.issuer(.stranger, .phones), Fixture.issuers[2]]
        let claimed = try Fixture.grant(by: .stranger)
        try expect(.unknownIssuer, .needsDocument, claimed)
        _ = try site.take(Fixture.claimed(Fixture.document(version: 4, issuers: issuers)), tally: &tally)
        _ = try check(site).admit(claimed, phoneKey: Fixture.phone, now: Fixture.clock(1000), tally: &tally)
        #expect(tally.count == 2)
    }

    @Test("A grant of another phone, group, site, role or signer is refused")
    func wrongGrants() throws {
        try expect(.otherPhone, .notAccepted, Fixture.grant(), phone: Fixture.x25519(5))
        try expect(.otherGroups, .notHere, Fixture.grant(Fixture.grantFacts(groups: [2, 3])))
        try expect(.notSigned, .notAccepted, Fixture.grant(site: Fixture.otherSite), checks: 1)
        try expect(.wrongRole, .notAccepted, Fixture.grant(by: .boxes))
        try expect(.unknownIssuer, .needsDocument, Fixture.grant(by: .stranger))
        let forged = SiteSignature.sign(
            SiteSignature.content(try Fixture.grant().bytes), SiteSignature.grant, site: Fixture.site,
            by: Fixture.key(.stranger))
        try expect(.notSigned, .notAccepted, ClaimedGrant(parsing: forged), checks: 1)
    }

    @Test("A grant whose issuer was dropped by a newer document is refused, also where it was known")
    func droppedIssuer() throws {
        var site = try Fixture.freshBox()
        var tally = SignatureTally()
        let document = try Fixture.document(version: 4, issuers: [Fixture.issuer(.stranger, .phones)])
        _ = try site.take(Fixture.claimed(document), tally: &tally)
        try expect(.unknownIssuer, .needsDocument, Fixture.grant(), check(site))
    }

    @Test("A grant ends with its expiry or with its issuer's, by the site's time")
    func expiry() throws {
        let end = Fixture.start + 600
        let soon = try Fixture.grant(Fixture.grantFacts(expiry: end))
        let good = try check()
        var tally = SignatureTally()
        _ = try good.admit(soon, phoneKey: Fixture.phone, now: Fixture.clock(1599), tally: &tally)
        try expect(.expired, .renew, soon, now: Fixture.clock(1600))
        let issuers = [Fixture.issuer(.phones, .phones, expiry: end), Fixture.issuers[2]]
        let short = try Fixture.pin(Fixture.document(issuers: issuers))
        try expect(
            .issuerExpired, .renew, Fixture.grant(), check(Fixture.freshBox(pin: short)), now: Fixture.clock(1600))
    }

    @Test("The box's calendar plays no part: in 1970 and in 2038 the site's time is the head's")
    func calendars() throws {
        // The box's site and the check never get a calendar time. They know only the times of signed statuses, and
        // readings of the boot clock, which would be times in 1970.
        for time in [Fixture.start, 2_147_483_648] {
            let pin = try Fixture.pin(
                Fixture.document(issuers: [
                    Fixture.issuer(.phones, .phones, expiry: time + 900),
                    Fixture.issuer(.revocations, .revocations, expiry: time + 900),
                ]))
            let check = try check(Fixture.freshBox(pin: pin, time: time))
            let grant = try Fixture.grant(Fixture.grantFacts(expiry: time + 60))
            var tally = SignatureTally()
            _ = try check.admit(grant, phoneKey: Fixture.phone, now: Fixture.clock(1000), tally: &tally)
            try expect(.expired, .renew, grant, check, now: Fixture.clock(1060))
        }
    }

    @Test(
        "A box that knows no time, has not written down its hour, or has spent all of them lets in nobody and says why")
    func cutOff() throws {
        let grant = try Fixture.grant()
        try expect(.noTime, .boxCutOff, grant, check(BoxSite(pin: Fixture.pin())))
        var site = try Fixture.freshBox(hours: 2)
        let later = Fixture.clock(1000 + 3600)
        try expect(.hourNotWritten, .boxCutOff, grant, check(site), now: later)
        let due = try #require(site.allowance.due(at: later))
        site.wrote(due)
        var tally = SignatureTally()
        _ = try check(site).admit(grant, phoneKey: Fixture.phone, now: later, tally: &tally)
        try expect(.allowanceUsedUp, .boxCutOff, grant, check(site), now: Fixture.clock(1000 + 7200))
        // A signed status that was delayed does not count as contact with the site.
        #expect(
            try site.take(Fixture.head(time: Fixture.start + 60), at: Fixture.clock(1000 + 7200), tally: &tally)
                == .late)
        try expect(.allowanceUsedUp, .boxCutOff, grant, check(site), now: Fixture.clock(1000 + 7200))
    }

    @Test("What was revoked is refused, behind the signature: who makes up a grant does not hear of it")
    func revoked() throws {
        let phone = try Fixture.revocation(.phone(key: Fixture.phone))
        let user = try Fixture.revocation(.user(Fixture.user, upTo: 41))
        try expect(.phoneRevoked(phone), .revoked, Fixture.grant(), check(Fixture.freshBox([phone])), checks: 1)
        try expect(.userRevoked(user), .revoked, Fixture.grant(), check(Fixture.freshBox([user])), checks: 1)
        try expect(.phoneRevoked(phone), .revoked, Fixture.grant(), check(Fixture.freshBox([user, phone])), checks: 1)
        let made = SiteSignature.sign(
            SiteSignature.content(try Fixture.grant().bytes), SiteSignature.grant, site: Fixture.site,
            by: Fixture.key(.stranger))
        try expect(.notSigned, .notAccepted, ClaimedGrant(parsing: made), check(Fixture.freshBox([user])), checks: 1)
        // A grant that was issued after the revocation is admitted.
        let check = try check(Fixture.freshBox([user]))
        var tally = SignatureTally()
        _ = try check.admit(
            Fixture.grant(Fixture.grantFacts(number: 42)), phoneKey: Fixture.phone, now: Fixture.clock(1000),
            tally: &tally)
    }

    @Test("Every refusal has a reason, and an error of reading has one too")
    func reasons() {
        #expect(SiteReason(SiteError.wrongLength) == .notAccepted && SiteReason(SiteError.notSigned) == .notAccepted)
        #expect(SiteReason(SiteError.needsDocument) == .needsDocument && SiteReason(SiteError.issuerExpired) == .renew)
        #expect(SiteReason.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6])
    }
}
