import PhoneMessages
import Secrets
import SiteTrust
import Testing
import VaultPort

@testable import PhoneCore

@Suite("What a phone hears of its site")
struct SiteNewsTests {
    private let site = TestSite()

    private func rig(_ order: Order, _ boxes: [ModelBox]) -> ErrandRig {
        let rig = ErrandRig(order, boxes)
        rig.siteKey = site.privateKey
        return rig
    }

    private func login(_ known: KnownSite) throws -> Order {
        .request(
            BoxTarget(try SiteAccess(known).box("004711")),
            .login(HeldSecret(SecretBytes(copying: Array("password".utf8)))))
    }

    private func kept(_ rig: ErrandRig) -> [SiteNews] {
        rig.vaultCommands.compactMap { if case .keepSiteNews(let news) = $0 { news } else { nil } }
    }

    /// Returns a box that sends `document` and `head`, and those of `entries` that the phone lacks.
    private func honest(entries: [[UInt8]] = [], head: [UInt8]? = nil, document: [UInt8]? = nil) throws -> ModelBox {
        let box = try ModelBox(of: site)
        var set = RevocationSet()
        for entry in entries { _ = try set.insert(Revocation(kept: entry)) }
        let facts = try site.document().facts
        let user = SiteUserID(bytes: site.userID)
        box.news = { question in
            // Sends only as many entries as fit the window of the model's link.
            let lacking = question.lacking(of: set, document: facts, user: user).prefix(14)
            return (document.map { [BoxMessage.siteNews(.document, $0)] } ?? [])
                + (head.map { [BoxMessage.siteNews(.head, $0)] } ?? [])
                + stride(from: 0, to: lacking.count, by: 7).map {
                    .siteNews(.entries, lacking.dropFirst($0).prefix(7).flatMap(\.self))
                }
        }
        return box
    }

    private func box(_ number: Int) -> RevokedSubject {
        .box(key: SHA256.hash([UInt8("\(number)".utf8.count)] + Array("\(number)".utf8)))
    }

    @Test("Behind the login's result it asks, and keeps head and revoked boxes; the password went out before")
    func asks() throws {
        let entry = try site.entry(self.box(1))
        let box = try honest(entries: [entry], head: try site.head(1, of: [entry]))
        let rig = rig(try login(try site.known()), [box])
        #expect(rig.run(until: { box.newsQuestions == 1 }))
        #expect(box.secretRequests == 1)
        #expect(rig.run())
        guard case .answered(let answer)? = rig.end else {
            return #expect(Bool(false), "\(String(describing: rig.end))")
        }
        #expect(answer.outcome == .done)
        let head = try site.head(1, of: [entry])
        #expect(kept(rig).flatMap(\.entries) == [entry] && kept(rig).first?.head == head)
    }

    @Test("A box that does not know the question is not asked, and nobody is whom the phone was enrolled at")
    func notAsked() throws {
        let old = try ModelBox(of: site)
        let rig = rig(try login(try site.known()), [old])
        #expect(rig.run())
        #expect(old.newsQuestions == 0)
        let enrolled = try ModelBox("1234")
        enrolled.news = { _ in [] }
        let own = ErrandRig(.request(BoxTarget(enrolled.row), .lock), [enrolled])
        #expect(own.run())
        #expect(enrolled.newsQuestions == 0)
    }

    @Test("A revoked box is refused from then on, before anything is sent to it; others are not")
    func refuses() throws {
        let (stolen, good) = (try ModelBox(of: site), try ModelBox(of: site))
        let known = try site.known(revokedBoxes: [try site.entry(.box(key: stolen.row.boxKey))])
        let rig = rig(try login(known), [stolen])
        #expect(rig.run())
        #expect(rig.failure == .notTheBox(boxID: "004711", .site(.revoked)) && rig.written == 0)
        let second = self.rig(try login(known), [stolen, good])
        #expect(second.run())
        #expect(good.secretRequests == 1 && stolen.requests == 0 && stolen.shown.isEmpty)
    }

    @Test("A phone in 1970 goes by the newest head: a certificate that has expired then is not believed")
    func time() throws {
        let box = try ModelBox(of: site)
        let known = try site.known(head: try site.head(1, time: TestSite.now + TestSite.day))
        let rig = rig(try login(known), [box])
        #expect(rig.run())
        #expect(rig.failure == .notTheBox(boxID: "004711", .site(.expired)))
    }

    @Test(
        "What the site has not signed, of another site, generation or kind, an old head: nothing of that answer is kept"
    )
    func rubbish() throws {
        let (other, stranger) = (TestSite(), Signer())
        let good = try site.entry(self.box(1))
        var forged = try site.entry(self.box(3))
        forged[forged.count - 1] ^= 1
        let rows: [[BoxMessage]] = [
            [.siteNews(.entries, good + forged)],
            [.siteNews(.entries, good), .siteNews(.entries, try other.entry(self.box(2), by: site.revocations))],
            [.siteNews(.entries, good + (try site.entry(self.box(2), generation: 2)))],
            [.siteNews(.entries, good + (try site.entry()))],
            [.siteNews(.entries, good + [0])],
            [.siteNews(.entries, good), .siteNews(.head, try site.head(1))],
            [.siteNews(.entries, good), .siteNews(.head, try site.head(9, time: TestSite.now - 1))],
            [.siteNews(.entries, good), .siteNews(.head, try site.head(9, by: stranger))],
            [.siteNews(.entries, good), .siteNews(.head, try site.head(9, generation: 2))],
            [.siteNews(.entries, good), .siteNews(.document, try other.document(version: 9).bytes)],
            [.siteNews(.head, good)],
        ]
        let known = try site.known(head: try site.head(2))
        for (number, said) in rows.enumerated() {
            let box = try ModelBox(of: site)
            box.news = { _ in said }
            let rig = rig(try login(known), [box])
            #expect(rig.run())
            #expect(kept(rig).isEmpty, "row \(number)")
            guard case .answered(let answer)? = rig.end else { return #expect(Bool(false), "row \(number)") }
            #expect(answer.outcome == .done)
        }
    }

    private func notice(
        _ device: UInt8 = 7, of user: [UInt8]? = nil, time: UInt64 = TestSite.now
    ) throws -> [UInt8] {
        let user = try #require(SiteUserID(bytes: user ?? site.userID))
        return try site.entry(
            .enrolment(
                EnrolmentNotice(
                    user: user, boxID: Array("004712".utf8), time: time,
                    device: [UInt8](repeating: device, count: EnrolmentNotice.deviceBytes))))
    }

    private func told(_ rig: ErrandRig) -> [UInt64] {
        rig.progress.compactMap { if case .phoneEnrolled(let phone) = $0 { phone.time } else { nil } }
    }

    @Test("Of another phone of its user's it tells once it is written down, once, and stays the site's")
    func enrolledElsewhere() throws {
        let entries = [try notice(8, time: TestSite.now - 5), try notice(7, time: TestSite.now - 9)]
        let box = try honest(entries: entries)
        let first = rig(try login(try site.known()), [box])
        #expect(first.run())
        #expect(Set(kept(first).flatMap(\.entries)) == Set(entries))
        #expect(told(first) == [TestSite.now - 9, TestSite.now - 5])
        let known = try site.known(revokedBoxes: entries)
        #expect(try SiteAccess(known).enrolledPhones.map(\.boxID) == ["004712", "004712"])
        #expect(try SiteAccess(known).stoppedUntil == nil)
        let second = rig(try login(known), [box])
        #expect(second.run())
        #expect(kept(second).isEmpty && told(second).isEmpty)
    }

    @Test("A vault that does not keep it is told nothing of, and it comes again")
    func notWrittenDown() throws {
        let box = try honest(entries: [try notice()])
        let rig = rig(try login(try site.known()), [box])
        #expect(
            rig.run(until: {
                rig.pending.contains { if case .vault(_, .keepSiteNews) = $0 { true } else { false } }
            }))
        rig.failVault()
        #expect(rig.run())
        #expect(told(rig).isEmpty)
    }

    @Test("A notice for another user, or a forged one, makes an answer nonsense; of itself a phone tells nothing")
    func strangeNotices() throws {
        var forged = try notice()
        forged[30] ^= 1
        for entry in [try notice(of: randomBytes(count: 16)), forged] {
            let box = try ModelBox(of: site)
            box.news = { _ in [.siteNews(.entries, entry)] }
            let rig = rig(try login(try site.known()), [box])
            #expect(rig.run())
            #expect(kept(rig).isEmpty && told(rig).isEmpty)
        }
        let user = try #require(SiteUserID(bytes: site.userID))
        let device = [UInt8](site.id.deviceID(ofPhone: site.phone.publicKey).prefix(EnrolmentNotice.deviceBytes))
        let own = try site.entry(
            .enrolment(
                EnrolmentNotice(user: user, boxID: Array("004712".utf8), time: TestSite.now, device: device)))
        let box = try honest(entries: [own])
        let rig = rig(try login(try site.known()), [box])
        #expect(rig.run())
        #expect(kept(rig).flatMap(\.entries) == [own] && told(rig).isEmpty)
    }

    @Test("A box of before notices is asked as before, and tells of none")
    func olderBox() throws {
        let box = try honest(entries: [try notice()])
        box.knowsNotices = false
        let rig = rig(try login(try site.known()), [box])
        #expect(rig.run())
        #expect(box.newsQuestions > 0 && kept(rig).isEmpty && told(rig).isEmpty)
    }

    @Test("A notice that was not asked for, and an entry of a kind that a phone does not know, make an answer nonsense")
    func unknownKinds() throws {
        let good = try site.entry(self.box(1))
        var unknown = [UInt8](try notice().dropLast(Ed25519.signatureBytes))
        unknown[1] = 5
        unknown += site.revocations.key.sign(context: "boxlink-site-revocation-1", message: site.id.bytes + unknown)
        // A phone that did not announce support for notices treats a notice as unrequested.
        for (entry, knowsNotices, isKept) in [
            (try notice(), false, false), (try notice(), true, true), (unknown, false, false), (unknown, true, false),
        ] {
            let box = try ModelBox(of: site)
            box.knowsNotices = knowsNotices
            box.news = { _ in [.siteNews(.entries, good + entry)] }
            let rig = rig(try login(try site.known()), [box])
            #expect(rig.run())
            #expect(kept(rig).flatMap(\.entries).contains(good) == isKept && told(rig).isEmpty != isKept)
            guard case .answered(let answer)? = rig.end else { return #expect(Bool(false), "the login has no result") }
            #expect(answer.outcome == .done)
        }
    }

    @Test("An entry by an issuer that this phone does not know is passed over, and the rest is kept")
    func unknownIssuer() throws {
        let good = try site.entry(self.box(1))
        let box = try ModelBox(of: site)
        let strange = try site.entry(self.box(2), by: Signer())
        box.news = { _ in [.siteNews(.entries, strange + good)] }
        let rig = rig(try login(try site.known()), [box])
        #expect(rig.run())
        #expect(kept(rig).flatMap(\.entries) == [good])
    }

    @Test("A box that floods, or tells what nobody asked for, loses its channel; the login's result stands")
    func flood() throws {
        let entry = try site.entry(self.box(1))
        let box = try ModelBox(of: site)
        box.news = { _ in [BoxMessage](repeating: .siteNews(.entries, entry), count: 8) }
        let rig = rig(try login(try site.known()), [box])
        #expect(rig.run())
        #expect(kept(rig).isEmpty)
        guard case .answered? = rig.end else { return #expect(Bool(false), "\(String(describing: rig.end))") }
        let unasked = try ModelBox(of: site)
        unasked.pushesBehindHello = [.siteNews(.entries, entry)]
        let second = self.rig(try login(try site.known()), [unasked])
        #expect(second.run())
        #expect(second.failure == .nonsense(boxID: "004711"))
    }

    @Test("A box that does not answer, or has always more, keeps nobody waiting for longer than two seconds")
    func slow() throws {
        let silent = try ModelBox(of: site)
        silent.news = { _ in [] }
        silent.isDeafToNews = true
        let rig = rig(try login(try site.known()), [silent])
        #expect(rig.run(until: { silent.newsQuestions == 1 }))
        let begin = rig.now
        #expect(rig.run())
        #expect(rig.now - begin <= .seconds(2))
        var number = 0
        let site = self.site
        let endless = try ModelBox(of: site)
        endless.news = { _ in
            (0..<5).map { _ in
                let entries = (0..<7).flatMap { _ in
                    number += 1
                    return (try? site.entry(.box(key: SHA256.hash(Array("\(number)".utf8))))) ?? []
                }
                return .siteNews(.entries, entries)
            }
        }
        let second = self.rig(try login(try site.known()), [endless])
        #expect(second.run())
        #expect(endless.newsQuestions <= 80 && kept(second).flatMap(\.entries).count <= 1_024)
    }

    @Test("Hundreds of revoked boxes come in parts, each once, and a phone that has them is told nothing")
    func many() throws {
        let entries = try (0..<500).map { try site.entry(self.box($0)) }
        let box = try honest(entries: entries)
        let rig = rig(try login(try site.known()), [box])
        #expect(rig.run())
        let told = kept(rig).flatMap(\.entries)
        #expect(Set(told) == Set(entries) && told.count == entries.count)
        let second = self.rig(try login(try site.known(revokedBoxes: entries)), [box])
        #expect(second.run())
        #expect(kept(second).isEmpty)
    }

    @Test("A newer document comes first, and a new generation forgets what the old one took back")
    func document() throws {
        let newer = try site.document(version: 2, generation: 2).bytes
        let entry = try site.entry(self.box(2), generation: 2)
        let box = try ModelBox(of: site)
        box.news = { _ in [.siteNews(.document, newer), .siteNews(.entries, entry)] }
        let rig = rig(try login(try site.known(revokedBoxes: [try site.entry(self.box(1))])), [box])
        #expect(rig.run())
        #expect(kept(rig).first?.document == newer && kept(rig).first?.entries == [entry])
    }

    @Test("A vault that fails keeps nothing, and the login's result stands")
    func vault() throws {
        let box = try honest(entries: [try site.entry(self.box(1))])
        let rig = rig(try login(try site.known()), [box])
        let isKeeping = {
            rig.pending.contains { if case .vault(_, .keepSiteNews) = $0 { true } else { false } }
        }
        #expect(rig.run(until: isKeeping))
        rig.failVault()
        #expect(rig.run())
        guard case .answered? = rig.end else { return #expect(Bool(false), "\(String(describing: rig.end))") }
        #expect(box.newsQuestions == 1)
    }

    @Test("A link that dies at any step of it leaves the login's result as it was")
    func lostLinks() throws {
        for step in 0..<12 {
            let box = try honest(entries: [try site.entry(self.box(1))])
            let rig = rig(try login(try site.known()), [box])
            #expect(rig.run(until: { box.newsQuestions == 1 }))
            var steps = 0
            #expect(
                rig.run(until: {
                    steps += 1
                    return steps > step
                }))
            rig.cut()
            #expect(rig.run())
            guard case .answered(let answer)? = rig.end else { return #expect(Bool(false), "step \(step)") }
            #expect(answer.outcome == .done && box.secretRequests == 1)
        }
    }

    // MARK: While a box is watched

    private func isShown(_ rig: ErrandRig) -> Bool {
        rig.shown.contains { if case .state = $0 { true } else { false } }
    }

    @Test("A watching phone asks on each new channel, and goes on to show what the box tells")
    func watch() throws {
        let entry = try site.entry(self.box(1))
        let box = try honest(entries: [entry])
        let rig = rig(.watch(BoxTarget(try SiteAccess(try site.known()).box("004711"))), [box])
        #expect(rig.run(until: { !kept(rig).isEmpty && rig.pending.isEmpty }))
        #expect(kept(rig).flatMap(\.entries) == [entry])
        rig.cut()
        #expect(rig.run(until: { box.newsQuestions == 2 && rig.pending.isEmpty }))
        #expect(kept(rig).count == 1)
    }

    @Test("It comes back by itself only where it has a session: a stolen box would learn where the person goes")
    func unasked() throws {
        for session in [SessionState.none, .active, .locked] {
            let box = try ModelBox(of: site)
            let state = BoxState(
                session: session, user: session == .none ? nil : Array("ana".utf8),
                autoLogout: ModelBox.state.autoLogout,
                logoutInSeconds: nil, credentialStale: false, pinAttemptsLeft: nil)
            box.answer = { [.state(state), .result($0.id, .correct, .none)] }
            let rig = rig(.watch(BoxTarget(try SiteAccess(try site.known()).box("004711"))), [box])
            #expect(rig.run(until: { isShown(rig) }))
            rig.cut()
            #expect(rig.run(until: { box.requests == 2 }))
            #expect((rig.failure == .linkLost(boxID: "004711")) == (session == .none))
            #expect((box.requests == 2) == (session != .none))
        }
    }

    @Test("Nor does it look for a box of its site that is not there, for as long as somebody watches")
    func notThere() throws {
        let rig = rig(.watch(BoxTarget(try SiteAccess(try site.known()).box("004711"))), [])
        #expect(rig.run())
        #expect(rig.failure == .boxNotFound(boxID: "004711"))
    }
}
