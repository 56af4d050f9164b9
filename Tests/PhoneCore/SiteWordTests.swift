import PhoneMessages
import Secrets
import SiteTrust
import Testing
import VaultPort

@testable import PhoneCore

@Suite("What a site signs, shown to a phone by one of its boxes")
struct SiteWordTests {
    private let site = TestSite()

    private func refusedWith(_ entry: [UInt8]) throws -> ErrandRig {
        let box = try ModelBox(of: site)
        box.refusal = .revokedBySite
        box.pushesBeforeRefusal = [.siteEntry(entry)]
        let rig = ErrandRig(.request(try site.target(), .status), [box])
        rig.siteKey = site.privateKey
        #expect(rig.run())
        return rig
    }

    private func user(upTo number: UInt64) throws -> RevokedSubject {
        .user(try #require(SiteUserID(bytes: site.userID)), upTo: number)
    }

    @Test("An entry that takes back the phone or its grant stops the site, durably, before it is told")
    func takenBack() throws {
        for subject in [RevokedSubject.phone(key: site.phone.publicKey), try user(upTo: 41)] {
            let entry = try site.entry(subject)
            let rig = try refusedWith(entry)
            #expect(rig.failure == .siteStopped)
            #expect(rig.stopped == [entry])
            #expect(rig.vaultCommands.contains { if case .forget = $0 { true } else { false } } == false)
        }
    }

    @Test("An entry that the site has not signed, or that is of somebody else, is a box's word: everything is kept")
    func boxLies() throws {
        for entry in [
            try site.entry(by: Signer()), try site.entry(by: site.boxes), try site.entry().dropLast() + [0xFF],
            try TestSite().entry(.phone(key: site.phone.publicKey)),
            try site.entry(.phone(key: randomBytes(count: 32))), try site.entry(user(upTo: 40)),
            try site.entry(generation: 2), try site.entry(days: 0),
            try site.entry(.box(key: site.phone.publicKey)),
        ] {
            let rig = try refusedWith(entry)
            #expect(rig.failure == .grantRefused(boxID: "004711", .revokedBySite))
            #expect(rig.stopped.isEmpty)
        }
    }

    @Test("An entry that comes while a session is watched stops the site as well")
    func takenBackWhileWatching() throws {
        let box = try ModelBox(of: site)
        let rig = ErrandRig(.watch(try site.target()), [box])
        rig.siteKey = site.privateKey
        #expect(rig.run(until: { rig.shown.contains { if case .state = $0 { true } else { false } } }))
        let entry = try site.entry()
        rig.push(.siteEntry(entry))
        #expect(rig.run())
        #expect(rig.failure == .siteStopped)
        #expect(rig.stopped == [entry])
    }

    private func renewals(_ grants: [[UInt8]]) throws -> [[UInt8]] {
        let box = try ModelBox(of: site)
        box.pushesBehindHello = grants.map { .siteGrant($0) }
        let rig = ErrandRig(.request(try site.target(), .status), [box])
        rig.siteKey = site.privateKey
        #expect(rig.run())
        guard case .answered? = rig.end else {
            #expect(Bool(false), "\(String(describing: rig.end))")
            return []
        }
        return rig.kept
    }

    @Test("A grant that the site has issued anew is kept in place of the old one, and later ones in place of that")
    func renewal() throws {
        let (next, later) = (try site.grant(days: 40).bytes, try site.grant(days: 50).bytes)
        #expect(try renewals([next]) == [next])
        #expect(try renewals([next, later]) == [next, later])
        #expect(try renewals([later, next]) == [later], "never an earlier one")
    }

    @Test("A grant that is not by the site, not later, or of somebody else, is not taken, and the answer counts still")
    func otherGrants() throws {
        for grant in [
            try site.grant(days: 40, by: Signer()), try site.grant(days: 40, by: site.boxes), try site.grant(days: 30),
            try site.grant(user: "bob", days: 40), try site.grant(userID: randomBytes(count: 16), days: 40),
            try site.grant(key: X25519KeyPair().publicKey, days: 40),
            try TestSite().grant(key: site.phone.publicKey, days: 40),
        ] {
            #expect(try renewals([grant.bytes]) == [])
        }
        #expect(try renewals([try site.grant(days: 40).bytes.dropLast() + [0xFF]]) == [])
    }

    // MARK: What an administrator hands over

    private func offer(_ document: SiteDocument? = nil, _ grant: Grant? = nil) throws -> SiteOffer {
        let code = SiteGrantCode(
            document: try ClaimedSiteDocument(parsing: try (document ?? site.document()).bytes),
            grant: try ClaimedGrant(parsing: try (grant ?? site.grant()).bytes))
        return try SiteOffer(parsing: code.text)
    }

    private var waiting: SiteKey { SiteKey(id: site.rowID, publicKey: site.phone.publicKey) }

    private func problem(_ offer: SiteOffer, _ waiting: SiteKey?, _ known: [KnownSite] = []) -> SiteProblem? {
        do throws(SiteProblem) {
            _ = try offer.taken(by: waiting, known, clock: TestSite.now)
            return nil
        } catch {
            return error
        }
    }

    @Test("The first grant pins the site for the key that waits")
    func first() throws {
        let (id, kept) = try offer().taken(by: waiting, [], clock: TestSite.now)
        #expect(id == site.rowID)
        #expect(kept.site == site.id.bytes)
        #expect(kept.document == (try site.document().bytes))
        #expect(kept.entry == nil)
    }

    @Test("What is not the site's, not for this phone, or over, is not taken")
    func notTaken() throws {
        #expect(problem(try offer(), nil) == .otherPhone)
        #expect(problem(try offer(), SiteKey(id: [1], publicKey: X25519KeyPair().publicKey)) == .otherPhone)
        #expect(problem(try offer(nil, try site.grant(by: Signer())), waiting) == .unknownIssuer)
        #expect(problem(try offer(nil, try site.grant(by: site.boxes)), waiting) == .unknownIssuer)
        #expect(problem(try offer(nil, try site.grant(days: 0)), waiting) == .expired)
        #expect(throws: SiteProblem.damagedText, "no key of the site came with it") {
            try offer(nil, try site.grant(mode: .siteHeld))
        }
        for text in ["", "boxsite-phone:1/AA"] {
            #expect(throws: SiteProblem.otherText) { try SiteOffer(parsing: Array(text.utf8)) }
        }
        #expect(throws: SiteProblem.newerText) { try SiteOffer(parsing: Array("boxsite-grant:2/AA".utf8)) }
        #expect(throws: SiteProblem.damagedText) { try SiteOffer(parsing: Array("boxsite-grant:1/A1".utf8)) }
    }

    @Test("A pinned site is followed, never replaced")
    func pinned() throws {
        let newer = try offer(try site.document(version: 2), try site.grant(days: 60))
        let kept = try newer.taken(by: nil, [site.known()], clock: TestSite.now).1
        #expect(kept.document == (try site.document(version: 2).bytes))
        let older = try offer(nil, try site.grant(days: 60))
        let held = try older.taken(by: nil, [site.known(document: site.document(version: 2))], clock: TestSite.now).1
        #expect(held.document == (try site.document(version: 2).bytes), "the newer document stays")
        let contradicting = try offer(try site.document(without: site.revocations.key.publicKey))
        #expect(problem(contradicting, nil, [try site.known()]) == .otherDocument)
        let another = SiteKey(id: [1], publicKey: X25519KeyPair().publicKey)
        #expect(
            problem(try offer(nil, try site.grant(key: another.publicKey)), another, [try site.known()]) == .otherKey)
        #expect(problem(try offer(nil, try site.grant(user: "bob")), nil, [try site.known()]) == .otherUser)
    }

    @Test("A grant that the entry does not cover, or a document without its issuer, gives the site back")
    func givenBack() throws {
        let stopped = try site.known(entry: try site.entry(user(upTo: 41)))
        #expect(try SiteAccess(stopped).stoppedUntil == TestSite.now + 31 * TestSite.day)
        #expect(try offer().taken(by: nil, [stopped], clock: TestSite.now).1.entry == stopped.entry)
        let issued = try offer(nil, try site.grant(number: 42)).taken(by: nil, [stopped], clock: TestSite.now).1
        #expect(issued.entry == nil)
        let dropped = try site.document(version: 2, without: site.revocations.key.publicKey)
        #expect(try offer(dropped).taken(by: nil, [stopped], clock: TestSite.now).1.entry == nil)
        let generation = try site.document(version: 2, generation: 2)
        #expect(try offer(generation).taken(by: nil, [stopped], clock: TestSite.now).1.entry == nil)
    }
}

extension ErrandRig {
    var stopped: [[UInt8]] {
        vaultCommands.compactMap { if case .stopSite(_, let entry) = $0 { entry } else { nil } }
    }

    var kept: [[UInt8]] {
        vaultCommands.compactMap { if case .keepSiteGrant(let grant, _, _) = $0 { grant } else { nil } }
    }
}
