import PhoneMessages
import Secrets
import SiteLink
import SiteTrust
import Testing
import VaultPort
import World

@testable import AgentCore

@Suite("Site documents between a box and phones")
struct SiteDocumentsTests {
    private func shown(_ said: Said) -> [[UInt8]] {
        said.effects.compactMap { if case .showDocument(_, let document) = $0 { document } else { nil } }
    }

    private func ask(_ box: inout SiteMachine, showing document: [UInt8]? = nil, on number: UInt64 = 50) -> Said {
        box.feed(.phone(Sample.channel(number), .arrived(connection: "c\(number)")))
        return box.feed(.phone(Sample.channel(number), .wantsDocument(shown: document)))
    }

    private func changes(_ box: SiteMachine) -> [SiteChange] {
        box.commands.compactMap { if case .changeSite(let change) = $0 { change } else { nil } }
    }

    @Test("A member shows its document to whoever asks, also before it knows the time; a box of no site ends the link")
    func shows() throws {
        for hasHead in [true, false] {
            var box = try SiteMachine(hasHead: hasHead)
            let said = ask(&box)
            #expect(shown(said) == [try ModelSite.document().bytes] && said.finished.isEmpty)
        }
        var box = try SiteMachine(isMember: false)
        let said = ask(&box)
        #expect(shown(said).isEmpty && said.finished == [.handshakeMalformed])
    }

    @Test("A newer document that a phone shows is taken, and told once it is written down")
    func takes() throws {
        var box = try SiteMachine()
        let newer = try ModelSite.document(4).bytes
        box.holds = true
        #expect(shown(ask(&box, showing: newer)).isEmpty)
        #expect(changes(box).last?.document == newer)
        #expect(shown(box.release()) == [newer])
        #expect(shown(ask(&box, on: 51)) == [newer])
    }

    @Test("A phone whose grant's issuer the box does not know is let in once it has shown the document")
    func letsIn() throws {
        var box = try SiteMachine()
        let grant = try ModelSite.grant(by: .stranger)
        #expect(box.visit(grant).results == [.siteDocumentNeeded])
        box.leave()
        _ = ask(&box, showing: try ModelSite.document(4, phones: .stranger).bytes)
        #expect(box.visit(grant, on: 2).isLetIn)
        #expect(box.visit(try ModelSite.grant(phone: ModelSite.x25519(20)), on: 3).results == [.siteDocumentNeeded])
    }

    @Test("What does not follow the pinned document changes nothing, and the phone is shown the box's own")
    func refuses() throws {
        let own = try ModelSite.document().bytes
        var forged = try ModelSite.document(4).bytes
        forged[forged.count - 1] ^= 1
        var box = try SiteMachine()
        let before = changes(box).count
        for document in [
            forged, try ModelSite.document(2).bytes, try ModelSite.document(4, root: .stranger).bytes, own,
        ] {
            #expect(shown(ask(&box, showing: document)) == [own])
        }
        let said = ask(&box, showing: [UInt8](repeating: 1, count: 162))
        #expect(said.finished == [.handshakeMalformed] && shown(said).isEmpty)
        #expect(changes(box).count == before)
    }

    @Test("A vault that fails changes nothing: the phone sees the older document, and the next try is taken")
    func vaultFails() throws {
        var box = try SiteMachine()
        let newer = try ModelSite.document(4).bytes
        box.holds = true
        _ = ask(&box, showing: newer)
        #expect(shown(box.fail()) == [try ModelSite.document().bytes])
        #expect(shown(ask(&box, showing: newer, on: 51)) == [newer])
    }

    @Test("A thousand documents cost eight signatures, and one more every ten seconds")
    func bounded() throws {
        var box = try SiteMachine()
        var forged = try ModelSite.document(4).bytes
        forged[forged.count - 1] ^= 1
        for number in 0..<1_000 { _ = ask(&box, showing: forged, on: 100 + UInt64(number)) }
        let own = try ModelSite.document().bytes
        let newer = try ModelSite.document(4).bytes
        #expect(shown(ask(&box, showing: newer, on: 2_000)) == [own], "nobody's is looked at now")
        box.now.sinceBoot += .seconds(10)
        #expect(shown(ask(&box, showing: newer, on: 2_001)) == [newer])
        #expect(changes(box).filter { $0.document != nil }.count == 1)
    }

    @Test("What waits for the vault is bounded, and each phone is answered")
    func waiting() throws {
        var box = try SiteMachine()
        box.holds = true
        var answers = shown(ask(&box, showing: try ModelSite.document(4).bytes, on: 100)).count
        for number in 1..<10 {
            answers += shown(ask(&box, showing: try ModelSite.document(4).bytes, on: 100 + UInt64(number))).count
        }
        #expect(answers == 5)
        #expect(shown(box.release()).count == 5)
    }

    @Test("A new generation that a phone brings forgets entries, head and time, as one of the site's does")
    func generation() throws {
        var box = try SiteMachine()
        _ = ask(&box, showing: try ModelSite.document(4, generation: 2).bytes)
        #expect(changes(box).last?.beginsGeneration == true)
        box.feed(.phone(Sample.channel(60), .arrived(connection: "c60")))
        #expect(box.feed(.phone(Sample.channel(60), .unknownKey)).finished == [.unknownDevice], "it knows no time")
    }

    // MARK: - What a phone asks

    private func tell(_ box: inout SiteMachine, _ question: [UInt8], on number: UInt64 = 1) -> Said {
        box.feed(
            .phone(
                Sample.channel(number), .asked(PhoneRequestMessage(id: testRequest(2), request: .siteNews(question)))))
    }

    private func news(_ said: Said) -> [(SiteNewsKind, [UInt8])] {
        said.toPhones.compactMap { if case .siteNews(let kind, let bytes) = $0.message { (kind, bytes) } else { nil } }
    }

    private func question(
        _ document: UInt32 = 3, head: ClaimedRevocationHead? = nil, takesNotices: Bool = false
    ) throws -> [UInt8] {
        var tally = SignatureTally()
        let claimed = try ModelSite.document(document)
        var site = PhoneSite(pin: try SitePin(root: claimed.facts.rootKey, document: claimed, tally: &tally))
        if let head { _ = try site.take(head, tally: &tally) }
        let salt = [UInt8](repeating: 5, count: 8)
        return try #require(SiteNewsQuestion(of: site, part: 0, salt: salt, takesNotices: takesNotices)).bytes
    }

    @Test(
        "A phone of the site is told document, head and revoked boxes that it lacks, then the result; and no other entry"
    )
    func tells() throws {
        var box = try SiteMachine()
        let stolen = try ModelSite.revocation(.box(key: ModelSite.x25519(40)))
        let other = try ModelSite.entry(1)
        box.feed(.site(box.link, .said(.entries([stolen, other]))))
        let head = try ModelSite.head(3, of: [stolen, other], time: ModelSite.start + 60)
        box.feed(.site(box.link, .said(.head(head))))
        #expect(box.visit(try ModelSite.grant()).isLetIn)
        let all = tell(&box, try question(2))
        #expect(news(all).map(\.0) == [.document, .head, .entries])
        #expect(news(all).map(\.1) == [try ModelSite.document().bytes, head.bytes, stolen.bytes])
        #expect(all.results == [.correct])
        let some = tell(&box, try question(head: head))
        #expect(news(some).map(\.0) == [.entries] && some.results == [.correct])
    }

    @Test("Notices of enrolments are told to phones of their user that ask for them, and to nobody else")
    func notices() throws {
        var box = try SiteMachine()
        let grant = try ModelSite.grant()
        let device = [UInt8](repeating: 7, count: EnrolmentNotice.deviceBytes)
        func notice(_ user: SiteUserID) throws -> ClaimedRevocation {
            try ModelSite.revocation(
                .enrolment(
                    EnrolmentNotice(user: user, boxID: Array("004711".utf8), time: ModelSite.start, device: device)))
        }
        let own = try notice(grant.facts.userID)
        let strange = try notice(#require(SiteUserID(bytes: [UInt8](repeating: 0x5A, count: 16))))
        box.feed(.site(box.link, .said(.entries([own, strange]))))
        let head = try ModelSite.head(3, of: [own, strange], time: ModelSite.start + 60)
        box.feed(.site(box.link, .said(.head(head))))
        #expect(box.visit(grant).isLetIn, "a notice takes nothing back")
        let told = tell(&box, try question(head: head, takesNotices: true))
        #expect(news(told).map(\.1) == [own.bytes] && told.results == [.correct])
        #expect(news(tell(&box, try question(head: head))).isEmpty)
    }

    @Test("A phone of before notices is told all else that it lacks, and its box says that there are notices")
    func olderPhone() throws {
        var box = try SiteMachine()
        let grant = try ModelSite.grant()
        let stolen = try ModelSite.revocation(.box(key: ModelSite.x25519(40)))
        let notices = try (1...40).map { device in
            try ModelSite.revocation(
                .enrolment(
                    EnrolmentNotice(
                        user: grant.facts.userID, boxID: Array("004711".utf8), time: ModelSite.start,
                        device: [UInt8](repeating: device, count: EnrolmentNotice.deviceBytes))))
        }
        box.feed(.site(box.link, .said(.entries(notices + [stolen]))))
        let head = try ModelSite.head(3, of: notices + [stolen], time: ModelSite.start + 60)
        box.feed(.site(box.link, .said(.head(head))))
        let answer = box.visit(grant).toPhones.compactMap {
            if case .hello(_, _, let capabilities) = $0.message { capabilities } else { nil }
        }
        #expect(answer.allSatisfy { $0.contains(.enrolmentNotices) } && answer.count == 1)
        let told = tell(&box, try question(2))
        #expect(news(told).map(\.0) == [.document, .head, .entries] && told.results == [.correct])
        #expect(news(told).last?.1 == stolen.bytes)
    }

    @Test("Rubbish, and a phone that was enrolled at the box, are told nothing")
    func tellsNobodyElse() throws {
        var box = try SiteMachine()
        #expect(box.visit(try ModelSite.grant()).isLetIn)
        let said = tell(&box, [UInt8](repeating: 0xFF, count: 35))
        #expect(said.results == [.badRequest] && news(said).isEmpty)
        box.vault.add(Sample.record())
        box.come(Sample.record().publicKey, on: 3)
        box.hello(nil, on: 3)
        let own = tell(&box, try question(), on: 3)
        #expect(own.results == [.badRequest] && news(own).isEmpty)
    }
}
