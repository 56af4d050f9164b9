import PhoneMessages
import Secrets
import SiteTrust
import Testing
import Vault

@testable import PhoneCore
@testable import PhoneKit

@Suite("A phone of a site")
struct SiteTests {
    /// Adds the phone to the site. Returns a box of the site, 004711, that the phone has never met.
    private func joined(_ site: TestSite, _ fixture: PhoneFixture) async throws -> FakeBox {
        let box = try FakeBox("004711", in: fixture.world)
        let certificate = try site.certificate("004711", key: box.publicKey)
        await box.change {
            $0.siteCertificate = certificate
            $0.script = { [(.zero, .result($0.id, .correct, .none))] }
        }
        fixture.air.add(box, showing: "004711")
        _ = try await join(site, fixture)
        return box
    }

    private func text(_ site: TestSite, _ fixture: PhoneFixture, days: UInt64 = 30) async throws -> [UInt8] {
        let phone = fixture.phone()
        let code =
            if let known = try await phone.sites.all().first { known.phoneCode } else {
                try await phone.sites.newCode()
            }
        let key = try SitePhoneCode(parsing: Array(code.utf8)).phoneKey
        return SiteGrantCode(
            document: try ClaimedSiteDocument(parsing: try site.document().bytes),
            grant: try ClaimedGrant(parsing: try site.grant(key: key, days: days).bytes)
        ).text
    }

    private func join(_ site: TestSite, _ fixture: PhoneFixture, days: UInt64 = 30) async throws -> SiteAccess {
        try await fixture.phone().sites.join(try await text(site, fixture, days: days))
    }

    private func key(_ fixture: PhoneFixture) async throws -> [UInt8] {
        try #require(try await fixture.phone().sites.all().first).known.phoneKey
    }

    @Test("Enrolled once, with one password, it logs in at a box that it has never met, by its number")
    func login() throws {
        let (fixture, site) = (try PhoneFixture(), TestSite())
        try fixture.world.run {
            let box = try await self.joined(site, fixture)
            let phone = fixture.phone()
            let target = try await phone.target("004711")
            #expect(try await phone.login(target, unlock: Answers([]), fixture.interaction) == .noCredential)
            let pseudo = try #require(target.candidates.first)
            #expect(try await phone.keepCredential(secret("pw"), for: pseudo, pin: nil) == .done)
            #expect(try await phone.login(target, unlock: Answers([]), fixture.interaction) == .answered(.done))
            #expect(await box.passwords == [Array("pw".utf8)])
            let again = fixture.phone()
            #expect(try await again.lock(try await again.target("004711")) == .done)
            let grant = try #require(try await again.sites.all().first).known.grant
            #expect(await box.shown == [.whole(grant), .hash(try ClaimedGrant(parsing: grant).hash)])
        }
    }

    @Test("Without a number, and by one that no site's box can have, nothing is looked for")
    func numbers() throws {
        let (fixture, site) = (try PhoneFixture(), TestSite())
        try fixture.world.run {
            _ = try await self.joined(site, fixture)
            let phone = fixture.phone()
            await #expect(throws: PhoneError.numberNeeded) { try await phone.target(nil) }
            await #expect(throws: PhoneError.unknownBox("4711")) { try await phone.target("4711") }
            let missing = try await phone.target("004712")
            await #expect(throws: PhoneError.boxNotFound(boxID: "004712")) { try await phone.status(missing) }
            let seen = try await phone.scan()
            #expect(seen.map(\.boxID) == ["004711"])
            guard case .known(let box)? = seen.first?.standing else { return #expect(Bool(false), "unknown") }
            #expect(box.site != nil)
        }
    }

    @Test("A phone that is enrolled elsewhere finds the site's box too, and its own boxes without a number")
    func besideEnrolments() throws {
        let (fixture, site) = (try PhoneFixture(), TestSite())
        try fixture.world.run {
            let own = try FakeBox(in: fixture.world)
            fixture.air.add(own)
            _ = try await fixture.enrolled(at: own)
            _ = try await self.joined(site, fixture)
            let phone = fixture.phone()
            #expect(try await phone.target(nil).boxID == "1234")
            #expect(try await phone.lock(try await phone.target("004711")) == .done)
        }
    }

    @Test("What the site takes back is kept and not used, until the entry has expired; then it is destroyed")
    func takenBack() throws {
        let (fixture, site) = (try PhoneFixture(), TestSite())
        try fixture.world.run {
            let box = try await self.joined(site, fixture)
            let entry = try site.entry(.phone(key: try await self.key(fixture)))
            await box.change { $0.refusesGrants = (.revokedBySite, [.siteEntry(entry)]) }
            let phone = fixture.phone()
            let target = try await phone.target("004711")
            await #expect(throws: PhoneError.siteStopped) { try await phone.status(target) }
            let again = fixture.phone()
            await #expect(throws: PhoneError.siteStopped) { try await again.target("004711") }
            #expect(try await again.sites.all().first?.stoppedUntil == TestSite.now + 31 * TestSite.day)
            #expect(await box.shown.count == 1)
            fixture.calendar.unixSeconds = Int64(TestSite.now + 31 * TestSite.day - 1)
            #expect(try await again.sites.all().count == 1)
            fixture.calendar.unixSeconds += 1
            #expect(try await again.sites.all().isEmpty)
            await #expect(throws: PhoneError.noBoxes) { try await again.target("004711") }
        }
    }

    @Test("A grant that a box hands on is kept, and shown whole at the next visit")
    func renewed() throws {
        let (fixture, site) = (try PhoneFixture(), TestSite())
        try fixture.world.run {
            let box = try await self.joined(site, fixture)
            let new = try site.grant(key: try await self.key(fixture), days: 60).bytes
            await box.change { $0.script = { [(.zero, .siteGrant(new)), (.zero, .result($0.id, .correct, .none))] } }
            let phone = fixture.phone()
            #expect(try await phone.lock(try await phone.target("004711")) == .done)
            #expect(try await phone.sites.all().first?.expiry == TestSite.now + 60 * TestSite.day)
            #expect(try await phone.lock(try await phone.target("004711")) == .done)
            #expect(await box.shown.last == .whole(new))
        }
    }

    @Test("What an administrator hands over again renews the grant for the same key; forgotten, nothing is left")
    func renewedByHand() throws {
        let (fixture, site) = (try PhoneFixture(), TestSite())
        try fixture.world.run {
            _ = try await self.joined(site, fixture)
            let old = try await self.key(fixture)
            let renewed = try await self.join(site, fixture, days: 60)
            #expect(renewed.expiry == TestSite.now + 60 * TestSite.day)
            #expect(renewed.known.phoneKey == old)
            let phone = fixture.phone()
            let text = try await self.text(site, fixture)
            try await phone.sites.forget(try await phone.sites.named(nil))
            #expect(try await phone.sites.all().isEmpty)
            await #expect(throws: PhoneError.site(.otherPhone)) { try await phone.sites.join(text) }
            await #expect(throws: PhoneError.site(.noSites)) { try await phone.sites.named(nil) }
        }
    }
}
