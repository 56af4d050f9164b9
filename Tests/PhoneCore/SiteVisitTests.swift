import PhoneMessages
import Secrets
import SiteTrust
import Testing
import VaultPort

@testable import PhoneCore

@Suite("A phone at a box of its site")
struct SiteVisitTests {
    private let site = TestSite()

    private func rig(_ order: Order, _ boxes: [ModelBox]) -> ErrandRig {
        let rig = ErrandRig(order, boxes)
        rig.siteKey = site.privateKey
        return rig
    }

    private func password() -> HeldSecret { HeldSecret(SecretBytes(copying: Array("password".utf8))) }

    @Test("The first visit shows the whole grant and logs in, and that the box has it is remembered")
    func firstVisit() throws {
        let box = try ModelBox(of: site)
        let rig = rig(.login(try site.target(), asksPerson: true), [box])
        #expect(rig.run())
        guard case .loggedIn(.answered(.done))? = rig.end else {
            return #expect(Bool(false), "\(String(describing: rig.end))")
        }
        #expect(box.shown.count == 1)
        guard case .whole? = box.shown.first ?? nil else { return #expect(Bool(false), "not whole") }
        #expect(box.phoneCapabilities.contains(.siteGrants))
        #expect(box.secretRequests == 1)
        #expect(rig.noted == [box.row.boxKey: true])
        let opened = rig.vaultCommands.compactMap { if case .openCredential(let id, _) = $0 { id } else { nil } }
        #expect(opened == [site.rowID], "one password for the site")
    }

    @Test("A box that has the grant is shown its hash")
    func secondVisit() throws {
        let box = try ModelBox(of: site)
        let known = try site.known(holders: [box.row.boxKey])
        box.grants = [try ClaimedGrant(parsing: known.grant).hash]
        let rig = rig(.request(BoxTarget(try SiteAccess(known).box("004711")), .lock), [box])
        #expect(rig.run())
        #expect(box.shown == [.hash(try ClaimedGrant(parsing: known.grant).hash)])
        #expect(rig.noted.isEmpty)
    }

    @Test("A box that has forgotten the grant is shown it whole: the login goes out again, once, and is looked at once")
    func miss() throws {
        let box = try ModelBox(of: site)
        let target = try site.target(holders: [box.row.boxKey])
        let rig = rig(.request(target, .login(password())), [box])
        #expect(rig.run())
        guard case .answered(let answer)? = rig.end else {
            return #expect(Bool(false), "\(String(describing: rig.end))")
        }
        #expect(answer.outcome == .done)
        #expect(box.shown.count == 2)
        #expect(box.secretRequests == 1)
        #expect(rig.noted == [box.row.boxKey: true])
    }

    @Test("Whatever is asked first of a box that has forgotten the grant, it is asked again")
    func missOfAnIntroduction() throws {
        let box = try ModelBox(of: site)
        let rig = rig(.extend(try site.target(holders: [box.row.boxKey])), [box])
        #expect(rig.run())
        guard case .answered(let answer)? = rig.end else {
            return #expect(Bool(false), "\(String(describing: rig.end))")
        }
        #expect(answer.outcome == .done)
    }

    @Test("A box that asks for the grant that it was shown makes no sense")
    func wantsForEver() throws {
        let box = try ModelBox(of: site)
        box.refusal = .grantWanted
        let rig = rig(.request(try site.target(holders: [box.row.boxKey]), .login(password())), [box])
        #expect(rig.run())
        #expect(rig.failure == .nonsense(boxID: "004711"))
        #expect(box.shown.count == 2)
        #expect(box.secretRequests == 0)
    }

    @Test("A watch survives a box that has forgotten the grant")
    func missWhileWatching() throws {
        let box = try ModelBox(of: site)
        let rig = rig(.watch(try site.target(holders: [box.row.boxKey])), [box])
        #expect(rig.run(until: { rig.shown.contains { if case .state = $0 { true } else { false } } }))
        #expect(box.shown.count == 2)
    }

    @Test("A password is let go of once the box has answered hello")
    func secretIsLetGo() throws {
        let box = try ModelBox(of: site)
        weak var held: HeldSecret?
        let rig: ErrandRig
        do {
            let secret = password()
            held = secret
            rig = self.rig(.request(try site.target(), .login(secret)), [box])
        }
        box.answer = { message in [.progress(message.id, .delivered)] }
        #expect(rig.run(until: { box.requests == 1 && rig.link?.end.hasSegments == false && rig.unwritten.isEmpty }))
        rig.read()
        #expect(held == nil)
    }

    @Test("The refusals of hello are the codes for them, with their numbers")
    func numbers() {
        #expect(ResultCode.allCases.compactMap { HelloRefusal($0) } == HelloRefusal.allCases)
        for code in ResultCode.allCases {
            #expect(HelloRefusal(code).map { Int($0.rawValue) == Int(code.rawValue) } ?? true)
        }
    }

    @Test(
        "Each refusal of a grant ends with its own reason, and nothing is destroyed",
        arguments: [
            ResultCode.grantNotAccepted, .siteDocumentNeeded, .grantExpired, .notAtThisBox, .revokedBySite, .boxCutOff,
        ])
    func refusals(code: ResultCode) throws {
        for order in [Order.request(try site.target(), .login(password())), .watch(try site.target())] {
            let box = try ModelBox(of: site)
            box.refusal = code
            let rig = rig(order, [box])
            #expect(rig.run())
            #expect(rig.failure == .grantRefused(boxID: "004711", try #require(HelloRefusal(code))))
            #expect(!rig.hasDestroyed)
        }
    }

    @Test("What a box that holds no password says of PINs makes no sense, and destroys nothing")
    func boxHeldNonsense() throws {
        for code in [ResultCode.wiped, .pinWrong, .lockedOut, .noCredential, .credentialStale] {
            let box = try ModelBox(of: site)
            let detail = ResultDetail(attemptsLeft: 1, retryAfterSeconds: 1)
            box.answer = { [.result($0.id, code, detail)] }
            let rig = rig(.request(try site.target(), .login(password())), [box])
            #expect(rig.run())
            #expect(rig.failure == .nonsense(boxID: "004711"))
            #expect(!rig.hasDestroyed)
        }
    }

    @Test("A box's word that the phone is revoked ends its channel, and destroys nothing")
    func revokedPush() throws {
        for order in [Order.request(try site.target(), .status), .watch(try site.target())] {
            let box = try ModelBox(of: site)
            box.answer = { _ in [.revoked] }
            let rig = rig(order, [box])
            #expect(rig.run())
            #expect(rig.failure == .notAccepted(boxID: "004711"))
            #expect(!rig.hasDestroyed)
        }
    }

    @Test("A link that dies at any step of a visit ends in a retry or an error, and a login is looked at once at most")
    func lostLinks() throws {
        for step in 0..<40 {
            let box = try ModelBox(of: site)
            let rig = rig(.request(try site.target(holders: [box.row.boxKey]), .login(password())), [box])
            var steps = 0
            #expect(
                rig.run(until: {
                    steps += 1
                    return steps > step
                }))
            rig.cut()
            #expect(rig.run(), "step \(step)")
            #expect(box.secretRequests <= 1, "step \(step)")
        }
    }

    // MARK: Who is believed

    @Test("A twin without a good certificate is sent nothing, not even message 1")
    func twins() throws {
        let other = TestSite()
        let key = try ModelBox("004711").row.boxKey
        let twins: [(SiteBoxProblem, (ModelBox) throws -> [UInt8]?)] = [
            (.noCertificate, { _ in nil }),
            (.noCertificate, { _ in [1, 2, 3] }),
            (.notSigned, { try self.site.certificate("004711", key: $0.row.boxKey).dropLast() + [0xFF] }),
            (.unknownIssuer, { try self.site.certificate("004711", key: $0.row.boxKey, by: Signer()) }),
            (.notSigned, { try self.site.certificate("004711", key: $0.row.boxKey, by: self.site.phones) }),
            (.expired, { try self.site.certificate("004711", key: $0.row.boxKey, days: 0) }),
            (.otherSite, { try other.certificate("004711", key: $0.row.boxKey) }),
            (.otherGroups, { try self.site.certificate("004711", key: $0.row.boxKey, groups: [2]) }),
            (.otherKey, { _ in try self.site.certificate("004711", key: key) }),
            (.otherNumber, { try self.site.certificate("004712", key: $0.row.boxKey) }),
        ]
        for (problem, certificate) in twins {
            let twin = try ModelBox("004711", mode: .phoneHeld)
            twin.siteCertificate = try certificate(twin)
            let rig = rig(.request(try site.target(), .login(password())), [twin])
            #expect(rig.run())
            #expect(rig.failure == .notTheBox(boxID: "004711", .site(problem)))
            // For an unknown issuer, the phone sends one segment, with its request for the site document.
            #expect(rig.written == (problem == .unknownIssuer ? 1 : 0) && twin.shown.isEmpty)
        }
    }

    @Test("Behind a twin the right box is found")
    func behindATwin() throws {
        let (twin, box) = (try ModelBox("004711"), try ModelBox(of: site))
        let rig = rig(.request(try site.target(), .login(password())), [twin, box])
        #expect(rig.run())
        #expect(box.secretRequests == 1)
        #expect(twin.requests == 0)
    }

    @Test("The host's time goes on while an errand lasts: a certificate that expires meanwhile is not believed")
    func timeGoesOn() throws {
        let box = try ModelBox(of: site)
        let rig = rig(.watch(try site.target()), [box])
        #expect(rig.run(until: { rig.shown.contains { if case .state = $0 { true } else { false } } }))
        rig.wait(.seconds(86_400))
        rig.cut()
        #expect(rig.run())
        #expect(rig.failure == .notTheBox(boxID: "004711", .site(.expired)))
    }

    @Test("An enrolment at the box goes before its site, and what it does not believe no site says")
    func enrolmentFirst() throws {
        let box = try ModelBox(of: site)
        let both = BoxTarget(box.row).orBox(of: [try SiteAccess(try site.known())])
        let rig = rig(.request(both, .lock), [box])
        #expect(rig.run())
        #expect(box.shown == [nil])
        let older = try ModelBox(of: site)
        let row = older.row
        let raised = KnownBox(
            id: row.id, boxID: row.boxID, boxKey: row.boxKey, authorityKey: row.authorityKey, highestSerial: 9,
            user: row.user, label: [], mode: .phoneHeld, confirmed: true, hasCredential: true, hasDeviceSecret: false)
        let second = self.rig(
            .request(BoxTarget(raised).orBox(of: [try SiteAccess(try site.known())]), .lock), [older])
        #expect(second.run())
        #expect(second.failure == .notTheBox(boxID: "004711", .olderCertificate(serial: 1, seen: 9)))
        #expect(second.written == 0)
    }

    @Test(
        "Where an enrolled box and one of the site show the same digits, the password is that of the one that is there")
    func sameDigits() throws {
        let (enrolled, box) = (try ModelBox("004711", mode: .phoneHeld), try ModelBox(of: site))
        let both = BoxTarget(enrolled.row).orBox(of: [try SiteAccess(try site.known())])
        let rig = rig(.login(both, asksPerson: true), [box])
        #expect(rig.run())
        let opened = rig.vaultCommands.compactMap { if case .openCredential(let id, _) = $0 { id } else { nil } }
        #expect(opened == [site.rowID])
    }

    @Test("A scan tells the boxes of the site from strangers")
    func scan() throws {
        let (box, stranger) = (try ModelBox(of: site), try ModelBox("004712"))
        let rig = rig(.scan([try SiteAccess(try site.known()).box("")]), [box, stranger])
        #expect(rig.run())
        guard case .seen(let seen)? = rig.end else { return #expect(Bool(false), "\(String(describing: rig.end))") }
        #expect(seen.map(\.boxID) == ["004711", "004712"])
        guard case .known(let found)? = seen.first?.standing else { return #expect(Bool(false), "unknown") }
        #expect(found.site != nil && found.digits == "004711")
        #expect(seen.last?.standing == .unknown)
    }

    @Test("A host without a calendar believes no site")
    func noDesk() throws {
        let box = try ModelBox(of: site)
        let errand = Errand(.request(try site.target(), .lock), as: [], now: .zero)
        _ = errand.handle(.time, at: .zero)
        let context = ErrandContext(
            limits: PhoneLimits(), capabilities: [], choice: DemandChoice(), sites: nil, now: .zero)
        let result = context.recognise(
            try site.target().candidates, by: try box.identity, showing: Array("004711".utf8))
        guard case .failure = result else { return #expect(Bool(false), "believed") }
    }
}

extension ErrandRig {
    /// The last note to the vault about each box: whether the box has the grant.
    var noted: [[UInt8]: Bool] {
        var noted: [[UInt8]: Bool] = [:]
        for case .noteSiteBox(let key, _, let hasGrant) in vaultCommands { noted[key] = hasGrant }
        return noted
    }

    var failure: PhoneError? {
        guard case .failed(let error)? = end else { return nil }
        return error
    }

    /// True if the vault was told to forget a box, to destroy a device secret, or to store a revocation by the site.
    var hasDestroyed: Bool {
        vaultCommands.contains { command in
            switch command {
            case .forget, .destroyDeviceSecret, .stopSite: true
            default: false
            }
        }
    }
}
