import AgentConfiguration
import Names
import PhoneMessages
import Secrets
import SiteLink
import SiteTrust
import Testing
import VaultPort
import World

@testable import AgentCore

@Suite("Phones that a grant of the box's site lets in")
struct SitePhonesTests {
    private func writes(_ box: SiteMachine) -> Int {
        box.commands.filter { if case .admitSitePhone = $0 { true } else { false } }.count
    }

    @Test("A grant that counts makes the phone a device, and hello is answered once that is written down")
    func admitted() throws {
        var box = try SiteMachine()
        box.holds = true
        let grant = try ModelSite.grant()
        box.come(grant.facts.phoneKey)
        let waiting = box.hello(.whole(grant.bytes), [.siteGrants])
        #expect(!waiting.isLetIn && waiting.toPhones.isEmpty && writes(box) == 1)
        let said = box.release()
        #expect(said.isLetIn)
        guard case .hello(_, _, let capabilities)? = said.toPhones.first?.message else {
            Issue.record("hello is not answered first")
            return
        }
        #expect(capabilities.contains(.siteGrants))
        let device = try #require(box.vault.device(grant.facts.phoneKey)?.record)
        #expect(device.user == Array("alice".utf8) && device.isOfSite && device.mode == .phoneHeld)
        #expect(box.machine.isConnected(device.id))
    }

    @Test("Its device id is the beginning of a hash of site and key")
    func deviceID() throws {
        var box = try SiteMachine()
        let grant = try ModelSite.grant()
        box.visit(grant)
        let text = [UInt8]("boxlink-site-device-1".utf8) + ModelSite.site().bytes + ModelSite.phoneKey
        #expect(box.vault.device(ModelSite.phoneKey)?.record.id.bytes == [UInt8](SHA256.hash(text).prefix(16)))
    }

    @Test("Whoever comes again shows the hash, or the same grant, and nothing is written")
    func again() throws {
        var box = try SiteMachine()
        let grant = try ModelSite.grant()
        box.visit(grant)
        box.leave()
        #expect(box.visit(grant, byHash: true, on: 2).isLetIn)
        #expect(box.visit(grant, on: 3).isLetIn)
        #expect(writes(box) == 1)
        box.leave(2)
        box.leave(3)
        let newer = try ModelSite.grant(number: 2)
        #expect(box.visit(newer, byHash: true, on: 4).results == [.grantWanted])
        #expect(box.visit(newer, on: 5).isLetIn && writes(box) == 2)
        #expect(box.visit(grant, byHash: true, on: 6).results == [.grantWanted], "the older one is kept no more")
    }

    @Test("Each refusal has its code, nothing is written, and the channel ends")
    func refusals() throws {
        let rows: [(ClaimedGrant, ResultCode)] = [
            (try ModelSite.grant(phone: ModelSite.x25519(20)), .grantNotAccepted),
            (try ModelSite.grant(by: .stranger), .siteDocumentNeeded),
            (try ModelSite.grant(by: .boxes), .grantNotAccepted),
            (try ModelSite.grant(groups: [2]), .notAtThisBox),
            (try ModelSite.grant(days: 0), .grantExpired),
        ]
        for (number, (grant, code)) in rows.enumerated() {
            var box = try SiteMachine()
            let said = box.visit(grant, by: ModelSite.phoneKey)
            #expect(said.results == [code], "row \(number)")
            #expect(said.finished == [.grantRefused] && writes(box) == 0, "row \(number)")
            #expect(box.vault.device(ModelSite.phoneKey) == nil)
        }
        var forged = try ModelSite.grant().bytes
        forged[forged.count - 1] ^= 1
        var box = try SiteMachine()
        box.come(ModelSite.phoneKey)
        #expect(box.hello(.whole(forged)).results == [.grantNotAccepted] && writes(box) == 0)
        #expect(box.visit(try ModelSite.grant(), byHash: true, on: 2).results == [.grantWanted])
    }

    @Test("A box that knows no time, or has been without its site for too long, says so to phones that it knows")
    func cutOff() throws {
        var box = try SiteMachine()
        let grant = try ModelSite.grant()
        box.visit(grant)
        box.leave()
        // The box does not hear its site for 26 hours, and writes down each hour.
        for _ in 0..<26 {
            box.now.sinceBoot += .seconds(3_600)
            box.feed(.timeHasCome)
        }
        #expect(box.visit(grant, byHash: true, on: 2).results == [.boxCutOff])
    }

    @Test("A stranger is turned away unless the box is a member that knows the time")
    func strangers() throws {
        for box in [try SiteMachine(isMember: false), try SiteMachine(hasHead: false)] {
            var box = box
            box.feed(.phone(Sample.channel(), .arrived(connection: "c")))
            #expect(box.feed(.phone(Sample.channel(), .unknownKey)).finished == [.unknownDevice])
        }
    }

    @Test("Before the grant counts, anything but one hello with a grant ends the channel, and has no effect")
    func nothingElse() throws {
        var box = try SiteMachine()
        box.come(ModelSite.phoneKey)
        #expect(box.hello(nil).finished == [.unknownDevice])
        box.come(ModelSite.phoneKey, on: 2)
        let lock = PhoneRequestMessage(id: testRequest(1), request: .lock)
        #expect(box.feed(.phone(Sample.channel(2), .asked(lock))).finished == [.protocolViolation])
        // A second hello while the vault writes is a violation.
        box.holds = true
        let grant = try ModelSite.grant()
        box.come(grant.facts.phoneKey, on: 3)
        box.hello(.whole(grant.bytes), on: 3)
        #expect(box.hello(.whole(grant.bytes), on: 3).finished == [.protocolViolation])
        #expect(!box.release().isLetIn)
    }

    @Test("A phone of the site that shows no grant is asked for it; one that was enrolled here may show none")
    func whoShowsWhat() throws {
        var box = try SiteMachine()
        box.visit(try ModelSite.grant())
        box.leave()
        box.come(ModelSite.phoneKey, on: 2)
        #expect(box.hello(nil, on: 2).results == [.grantWanted])
        box.vault.add(Sample.record())
        box.come(Sample.record().publicKey, on: 3)
        let said = box.hello(.whole(try ModelSite.grant().bytes), on: 3)
        #expect(said.results == [.badRequest] && said.finished == [.protocolViolation])
    }

    @Test("A device never becomes another user's, whatever the site says")
    func samePerson() throws {
        for other in [try ModelSite.grant(user: "bob", number: 2), try ModelSite.grant(userID: 0x11, number: 2)] {
            var box = try SiteMachine()
            box.visit(try ModelSite.grant())
            box.leave()
            #expect(box.visit(other, on: 2).results == [.grantNotAccepted] && writes(box) == 1)
        }
    }

    @Test("A vault that cannot write lets nobody in")
    func vaultFails() throws {
        var box = try SiteMachine()
        box.vault.failure = .diskFull
        #expect(box.visit(try ModelSite.grant()).results == [.boxFault])
    }

    // MARK: - Taken back

    @Test("What the site takes back is deaf and locked at once, removed durably, and then hears the site's word")
    func takenBack() throws {
        let userID = try #require(SiteUserID(bytes: [UInt8](repeating: 0x10, count: 16)))
        for subject in [RevokedSubject.phone(key: ModelSite.phoneKey), .user(userID, upTo: 1)] {
            var box = try SiteMachine()
            let other = try ModelSite.grant(phone: ModelSite.x25519(20), userID: 0x77)
            box.visit(try ModelSite.grant())
            box.visit(other, on: 2)
            let device = try #require(box.vault.device(ModelSite.phoneKey)?.record.id)
            try box.openSession(of: device)
            let entry = try ModelSite.revocation(subject)
            let said = box.takeBack(entry)
            #expect(said.muted == [Sample.channel()] && said.locks == 1)
            #expect(said.siteEntries == [entry.bytes] && said.finished == [.revoked])
            let order = said.effects.compactMap { effect -> String? in
                switch effect {
                case .mute: "deaf"
                case .act(_, .lock, _): "locked"
                case .vault(_, .dropSitePhones): "written"
                case .finish: "told"
                default: nil
                }
            }
            #expect(order == ["deaf", "locked", "written", "told"])
            #expect(box.vault.device(ModelSite.phoneKey)?.record.state == .revoked, "its session is still there")
            let again = box.visit(try ModelSite.grant(), on: 3)
            #expect(again.results == [.revokedBySite] && again.siteEntries == [entry.bytes])
            #expect(box.visit(other, byHash: true, on: 4).isLetIn, "others stay")
        }
    }

    @Test("A phone that is not connected is removed as well, and its sessions are locked")
    func takenBackElsewhere() throws {
        var box = try SiteMachine()
        box.visit(try ModelSite.grant())
        let device = try #require(box.vault.device(ModelSite.phoneKey)?.record.id)
        try box.openSession(of: device)
        box.leave()
        #expect(box.takeBack(try ModelSite.revocation(.phone(key: ModelSite.phoneKey))).locks == 1)
        #expect(box.vault.device(ModelSite.phoneKey)?.record.state == .revoked)
    }

    @Test("A user's grant above the number that was taken back counts, and the phone comes back by it")
    func grantedAnew() throws {
        var box = try SiteMachine()
        box.visit(try ModelSite.grant())
        let userID = try #require(SiteUserID(bytes: [UInt8](repeating: 0x10, count: 16)))
        _ = box.takeBack(try ModelSite.revocation(.user(userID, upTo: 1)))
        box.leave()
        #expect(box.visit(try ModelSite.grant(number: 2), on: 2).isLetIn)
        let program = box.feed(
            .phone(Sample.channel(2), .asked(PhoneRequestMessage(id: testRequest(2), request: .status))))
        #expect(program.results == [.correct], "nothing of what was barred is left")
    }

    @Test("An entry that comes while the vault writes the phone down keeps it out, and removes it")
    func race() throws {
        var box = try SiteMachine()
        let grant = try ModelSite.grant()
        box.come(grant.facts.phoneKey)
        box.holds = true
        box.hello(.whole(grant.bytes))
        _ = box.takeBack(try ModelSite.revocation(.phone(key: ModelSite.phoneKey)))
        // The vault gets the phone first, then the revocation, and answers in this order.
        let said = box.release()
        #expect(box.vault.device(ModelSite.phoneKey) == nil)
        #expect(said.isLetIn && said.finished == [.revoked])
        // The vault gets the revocation first, then the phone.
        box = try SiteMachine()
        box.come(grant.facts.phoneKey)
        box.holds = true
        _ = box.takeBack(try ModelSite.revocation(.phone(key: ModelSite.phoneKey)))
        box.hello(.whole(grant.bytes))
        let refused = box.release()
        #expect(!refused.isLetIn && refused.results == [.revokedBySite])
        #expect(box.vault.device(ModelSite.phoneKey) == nil)
    }

    @Test("What was taken back while the agent was down is removed when it starts")
    func afterRestart() throws {
        var box = try SiteMachine()
        box.visit(try ModelSite.grant())
        var change = SiteChange()
        change.added = [try ModelSite.revocation(.phone(key: ModelSite.phoneKey)).bytes]
        _ = box.vault.answer(.changeSite(change))
        box.restart()
        #expect(box.vault.device(ModelSite.phoneKey) == nil)
    }

    @Test("A new generation removes no phone: it is judged at its next hello")
    func generation() throws {
        var box = try SiteMachine()
        box.visit(try ModelSite.grant())
        box.feed(.site(box.link, .said(.document(try ModelSite.document(4, generation: 2)))))
        #expect(box.vault.device(ModelSite.phoneKey)?.record.state == .active)
        box.leave()
        #expect(box.visit(try ModelSite.grant(), byHash: true, on: 2).results == [.boxCutOff], "no head of it yet")
    }

    @Test("A phone that the box's administrator has revoked stays out, whatever it shows, also after a restart")
    func barredHere() throws {
        var box = try SiteMachine()
        box.visit(try ModelSite.grant())
        let record = try #require(box.vault.device(ModelSite.phoneKey)?.record)
        let said = box.feed(.control(Sample.control(9), .revokes([record], all: false, named: [], Sample.root)))
        #expect(said.muted == [Sample.channel()] && said.finished == [.revoked])
        let lastWords = said.effects.compactMap { if case .finish(_, _, let words) = $0 { words } else { nil } }
        #expect(lastWords.isEmpty, "its key is the site's affair")
        box.leave()
        #expect(box.visit(try ModelSite.grant(number: 2), on: 2).results == [.grantNotAccepted])
        box.restart()
        #expect(box.visit(try ModelSite.grant(number: 3), on: 3).results == [.grantNotAccepted])
        #expect(writes(box) == 1)
    }

    @Test("A box that leaves its site forgets its phones at once, and shows its own digits again")
    func leaves() throws {
        var box = try SiteMachine()
        box.visit(try ModelSite.grant())
        let said = box.feed(.control(Sample.control(9), .asks(.leaveSite, Sample.root)))
        #expect(said.muted == [Sample.channel()] && said.finished == [.revoked])
        #expect(box.vault.device(ModelSite.phoneKey) == nil)
        let shown = said.effects.compactMap { if case .show(let shown) = $0 { shown } else { nil } }
        #expect(shown == [BoxShown(boxID: Array("1128".utf8))])
    }

    // MARK: - What is shown

    @Test("A member shows its certificate and its number; a renewed certificate is shown at once")
    func shown() throws {
        var box = try SiteMachine(isMember: false)
        #expect(!box.effects.contains { if case .show = $0 { true } else { false } })
        box = try SiteMachine()
        let certificates = box.effects.compactMap {
            if case .show(let shown) = $0 { shown.siteCertificate } else { nil }
        }
        #expect(certificates == [try ModelSite.certificate().bytes])
        let renewed = try ModelSite.certificate(expiry: ModelSite.start + 2 * ModelSite.day)
        let said = box.feed(.site(box.link, .said(.certificate(renewed))))
        let shown = said.effects.compactMap { if case .show(let shown) = $0 { shown } else { nil } }
        #expect(shown == [BoxShown(boxID: Array("004711".utf8), siteCertificate: renewed.bytes)])
    }

    // MARK: - Renewal

    @Test("A grant with less than 20 days left is asked for anew, kept, and handed on; one with more is not")
    func renewal() throws {
        var box = try SiteMachine()
        box.visit(try ModelSite.grant(days: 21), [.siteGrants])
        #expect(box.renewals.isEmpty)
        box.leave()
        let old = try ModelSite.grant(number: 2, days: 19)
        box.visit(old, [.siteGrants], on: 2)
        #expect(box.renewals == [old])
        let new = try ModelSite.grant(number: 3, days: 31)
        let said = box.feed(.site(box.link, .said(.grant(new))))
        #expect(said.toPhones.map(\.message) == [.siteGrant(new.bytes)])
        box.leave(2)
        #expect(box.visit(new, byHash: true, on: 3).isLetIn)
    }

    @Test("Nothing is asked for a phone that keeps no grants, twice at once, or more than 60 times on a link")
    func renewalBounds() throws {
        var box = try SiteMachine()
        box.visit(try ModelSite.grant(days: 19))
        #expect(box.renewals.isEmpty)
        box.visit(try ModelSite.grant(days: 19), [.siteGrants], on: 2)
        box.visit(try ModelSite.grant(days: 19), [.siteGrants], on: 3)
        #expect(box.renewals.count == 1)
        for number in UInt8(100)..<170 {
            let grant = try ModelSite.grant(phone: ModelSite.x25519(number), userID: number, days: 19)
            box.visit(grant, [.siteGrants], on: UInt64(number))
            box.leave(UInt64(number))
        }
        #expect(box.renewals.count == 60)
    }

    @Test("A grant that nobody asked for, of somebody else, or badly signed is not kept")
    func renewalRefused() throws {
        var box = try SiteMachine()
        box.visit(try ModelSite.grant(days: 21), [.siteGrants])
        let unasked = try ModelSite.grant(number: 9)
        #expect(box.feed(.site(box.link, .said(.grant(unasked)))).toPhones.isEmpty)
        for bad in [
            try ModelSite.grant(user: "bob", number: 9), try ModelSite.grant(number: 9, by: .stranger),
        ] {
            var box = try SiteMachine()
            box.visit(try ModelSite.grant(days: 19), [.siteGrants])
            let said = box.feed(.site(box.link, .said(.grant(bad))))
            #expect(said.toPhones.isEmpty && writes(box) == 1)
        }
    }
}
