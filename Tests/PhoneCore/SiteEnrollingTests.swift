import PhoneMessages
import Secrets
import SecureChannel
import SiteTrust
import Testing
import VaultPort

@testable import PhoneCore

/// A site's end of an enrolment, written from docs/reference/site-protocol.md, 17. Boxes carry its messages.
private final class ModelEnrolment {
    private let site: TestSite
    private let key = X25519KeyPair()
    private let codeID = [UInt8](0xC0..<0xC8)
    private let psk = SecretBytes(randomCount: 32)
    private let nonce = randomBytes(count: 32)
    private var transport: ChannelTransport<XChaChaPoly>?
    private var commitment: [UInt8] = []
    /// The administrator's decision, or nil if there is none yet.
    var verdict: Bool? = true
    private(set) var digits: [UInt8] = []
    private(set) var phoneKey: [UInt8] = []
    private(set) var asked: [String] = []
    /// Replaces the site's usual answers.
    var answer: ((PhoneRequestMessage) -> [BoxMessage])?
    /// What the box makes of the site's messages before it carries them on.
    var meddle: ([[UInt8]]) -> [[UInt8]] = { $0 }

    init(_ site: TestSite) { self.site = site }

    /// - Parameter isWrong: True for a code with another secret.
    func code(isWrong: Bool = false) throws -> SiteCode {
        guard
            let code = SiteEnrolmentCode(
                rootKey: site.root.key.publicKey, siteKey: key.publicKey, codeID: codeID,
                secret: isWrong ? SecretBytes(randomCount: 32) : psk.copy(), site: site.id.bytes)
        else { throw SiteError.wrongLength }
        return try SiteCode(parsing: code.format())
    }

    func attach(to box: ModelBox) {
        box.capabilities = .siteEnrolment
        box.answer = { [unowned box] message in
            guard case .carry(let bytes) = message.request else { return [] }
            guard let said = self.receive(bytes) else {
                box.hangsUp = true
                return []
            }
            return self.meddle(said).map { .carried($0) }
        }
    }

    /// Returns the answers, or nil to end the channel.
    private func receive(_ bytes: [UInt8]) -> [[UInt8]]? {
        if case .enrol(codeID, let message1)? = try? FirstMessage(parsing: bytes) { return shake(message1) }
        guard let plain = try? transport?.open(bytes, now: .zero),
            let message = plain.withBytes({ try? PhoneRequestMessage.decode($0) })
        else { return nil }
        return (answer?(message) ?? answers(message)).compactMap { said in
            guard let body = try? said.encoded() else { return nil }
            return try? transport?.seal(body, now: .zero)
        }
    }

    private func shake(_ message1: [UInt8]) -> [[UInt8]]? {
        guard
            let start = try? ResponderStart<XChaChaPoly>(
                prologue: SiteEnrolmentCode.prologue(site: site.id.bytes, codeID: codeID), staticKey: key, psk: psk),
            let ready = try? start.readMessage1(message1)
        else { return nil }
        phoneKey = ready.claimedRemoteStatic
        guard let step = try? ready.writeMessage2(now: .zero) else { return nil }
        let message2 = step.message
        stand(step.transport)
        return [message2]
    }

    private func stand(_ opened: consuming ChannelTransport<XChaChaPoly>) { transport = consume opened }

    func answers(_ message: PhoneRequestMessage) -> [BoxMessage] {
        switch message.request {
        case .hello:
            asked.append("hello")
            return [.hello(message.id, version: 2, capabilities: .siteEnrolment)]
        case .enrol(let wish):
            asked.append("enrol")
            commitment = wish.commitment
            return [.enrolNonce(message.id, nonce)]
        case .reveal(let phoneNonce):
            asked.append("reveal")
            guard let hash = transport?.handshakeHash,
                EnrolmentCommitment.holds(commitment, nonce: phoneNonce, handshakeHash: hash)
            else { return [.result(message.id, .notAllowed, .none)] }
            digits = EnrolmentCommitment.digits(handshakeHash: hash, phoneNonce: phoneNonce, boxNonce: nonce)
            return [.enrolPending(message.id)] + outcome(message.id)
        case .enrolment:
            asked.append("enrolment")
            return outcome(message.id)
        default: return [.result(message.id, .badRequest, .none)]
        }
    }

    func outcome(_ id: RequestID) -> [BoxMessage] {
        switch verdict {
        case nil: return []
        case .some(false): return [.result(id, .notAllowed, .none)]
        case .some(true):
            guard let document = try? site.document(), let grant = try? site.grant(key: phoneKey) else { return [] }
            return [.siteDocument(id, document.bytes), .siteEnrolled(id, grant.bytes)]
        }
    }
}

@Suite("A phone that is enrolled at a site through a box")
final class SiteEnrollingTests {
    private let site = TestSite()
    private let key = X25519KeyPair()

    private func rig(_ code: SiteCode, _ boxes: [ModelBox], number: String? = nil) -> ErrandRig {
        let secret = HeldSecret(key.withPrivateKey { SecretBytes(copying: [UInt8](copying: $0)) })
        return ErrandRig(
            .enrolAtSite(code, label: Array("ana's".utf8), number: number, key: secret), boxes)
    }

    private func compared(_ rig: ErrandRig) -> [String] {
        rig.progress.compactMap { if case .compare(let digits) = $0 { digits } else { nil } }
    }

    private func isGranted(_ rig: ErrandRig) -> Bool { if case .granted? = rig.end { true } else { false } }

    @Test("It shows the digits that the site shows, and gets document and grant; the box is told no key and no request")
    func wholly() throws {
        let (box, enrolment) = (try ModelBox(of: site), ModelEnrolment(site))
        enrolment.attach(to: box)
        let rig = rig(try enrolment.code(), [box])
        #expect(rig.run())
        guard case .granted(let document, let grant)? = rig.end else {
            return #expect(Bool(false), "\(String(describing: rig.end))")
        }
        #expect(enrolment.phoneKey == key.publicKey)
        #expect(compared(rig) == [String(bytes: enrolment.digits)])
        #expect(box.shown == [nil] && box.phoneCapabilities == .siteEnrolment && box.secretRequests == 0)
        #expect(rig.vaultCommands.isEmpty)
        let offer = try SiteOffer(
            document: document, grant: grant, of: site.id.bytes, rootKey: site.root.key.publicKey,
            siteKey: [UInt8](repeating: 9, count: 32))
        let waiting = SiteKey(id: [1], publicKey: key.publicKey)
        let (id, kept) = try offer.taken(by: waiting, [], clock: TestSite.now)
        #expect(id == [1] && kept.site == site.id.bytes)
    }

    @Test("A document of another site or by another root than the code says is not taken")
    func otherRoot() throws {
        let other = TestSite()
        let (document, grant) = (try site.document().bytes, try site.grant(key: key.publicKey).bytes)
        for (id, root) in [
            (other.id.bytes, site.root.key.publicKey), (site.id.bytes, other.root.key.publicKey),
        ] {
            #expect(throws: SiteProblem.otherSiteThanCode) {
                _ = try SiteOffer(
                    document: document, grant: grant, of: id, rootKey: root, siteKey: [UInt8](repeating: 9, count: 32))
            }
        }
    }

    @Test("Boxes of other sites, of none, and such as do not carry just now are passed by")
    func passedBy() throws {
        let enrolment = ModelEnrolment(site)
        let (none, other) = (try ModelBox("004709"), try ModelBox("004710", of: TestSite()))
        let (old, cut, good) = (
            try ModelBox("004711", of: site), try ModelBox("004712", of: site), try ModelBox("004713", of: site)
        )
        cut.refusal = .boxCutOff
        enrolment.attach(to: good)
        let rig = rig(try enrolment.code(), [none, other, old, cut, good])
        #expect(rig.run() && isGranted(rig))
        #expect(none.shown.isEmpty && other.shown.isEmpty, "nothing is sent to them")
        #expect(old.requests == 0 || good.requests > 0)
    }

    @Test("Without the code's secret the site says nothing, and the phone says that the code is not accepted")
    func wrongCode() throws {
        let (box, enrolment) = (try ModelBox(of: site), ModelEnrolment(site))
        enrolment.attach(to: box)
        let rig = rig(try enrolment.code(isWrong: true), [box])
        #expect(rig.run())
        #expect(rig.failure == .site(.codeRefused) && compared(rig).isEmpty)
    }

    @Test(
        "A box that drops, repeats, reorders or changes what it carries gets no phone enrolled, and no digits of its own shown"
    )
    func lyingBox() throws {
        let meddlings: [([[UInt8]]) -> [[UInt8]]] = [
            { _ in [] }, { $0 + $0 }, { $0.reversed() }, { $0.map { $0.dropLast() + [($0.last ?? 0) ^ 1] } },
            { _ in [[UInt8](repeating: 7, count: 896)] },
        ]
        for (number, meddle) in meddlings.enumerated() {
            let (box, enrolment) = (try ModelBox(of: site), ModelEnrolment(site))
            enrolment.attach(to: box)
            enrolment.verdict = nil
            enrolment.meddle = { $0.count == 1 && number == 2 ? $0 : meddle($0) }
            let rig = rig(try enrolment.code(), [box])
            rig.run(until: { rig.progress.contains(.waitingForAdministrator) })
            #expect(!isGranted(rig), "meddling \(number)")
            #expect(compared(rig).allSatisfy { $0 == String(bytes: enrolment.digits) }, "meddling \(number)")
        }
    }

    @Test(
        "A link that breaks behind the digits: the phone comes again with its key and asks, and no other digits are shown"
    )
    func comesAgain() throws {
        let (box, enrolment) = (try ModelBox(of: site), ModelEnrolment(site))
        enrolment.attach(to: box)
        enrolment.verdict = nil
        let rig = rig(try enrolment.code(), [box])
        rig.run(until: { rig.progress.contains(.waitingForAdministrator) })
        enrolment.verdict = true
        rig.cut()
        #expect(rig.run() && isGranted(rig))
        #expect(enrolment.asked == ["hello", "enrol", "reveal", "hello", "enrolment"])
        #expect(compared(rig).count == 1)
    }

    @Test("A phone that was begun before with this code is told so, and asks on the same channel")
    func begunBefore() throws {
        let (box, enrolment) = (try ModelBox(of: site), ModelEnrolment(site))
        enrolment.attach(to: box)
        enrolment.answer = { [unowned enrolment] message in
            guard case .enrol = message.request else { return enrolment.answers(message) }
            return [.result(message.id, .alreadyEnrolled, .none)]
        }
        let rig = rig(try enrolment.code(), [box])
        #expect(rig.run() && isGranted(rig))
        #expect(enrolment.asked == ["hello", "enrolment"] && compared(rig).isEmpty)
    }

    @Test(
        "The administrator's no, another phone with the code, and a site that skips the digits each end it with a reason"
    )
    func ends() throws {
        let rows: [(ResultCode?, PhoneError)] = [
            (.notAllowed, .site(.enrolmentRefused)), (.timedOut, .site(.enrolmentRefused)),
            (.busy, .site(.enrolmentBusy)),
            (nil, .site(.enrolmentNonsense)),
        ]
        for (code, failure) in rows {
            let (box, enrolment) = (try ModelBox(of: site), ModelEnrolment(site))
            enrolment.attach(to: box)
            enrolment.answer = { [unowned enrolment] message in
                guard case .enrol = message.request else { return enrolment.answers(message) }
                return code.map { [.result(message.id, $0, .none)] } ?? enrolment.outcome(message.id)
            }
            let rig = rig(try enrolment.code(), [box])
            #expect(rig.run())
            #expect(rig.failure == failure)
        }
    }

    @Test("Nobody gives up a number that was named for another box")
    func named() throws {
        let enrolment = ModelEnrolment(site)
        let (near, far) = (try ModelBox("004711", of: site), try ModelBox("004712", of: site))
        for box in [near, far] { enrolment.attach(to: box) }
        let rig = rig(try enrolment.code(), [near, far], number: "004712")
        #expect(rig.run() && isGranted(rig))
        #expect(near.requests == 0 && far.requests > 0)
    }

    @Test("A person may give up at any time")
    func cancelled() throws {
        let (box, enrolment) = (try ModelBox(of: site), ModelEnrolment(site))
        enrolment.attach(to: box)
        enrolment.verdict = nil
        let rig = rig(try enrolment.code(), [box])
        rig.run(until: { rig.progress.contains(.waitingForAdministrator) })
        rig.feed(.cancel)
        #expect(rig.failure == .site(.enrolmentUncertain))
    }

    // MARK: - From the code to what is kept

    private func joining(_ code: SiteCode, _ box: ModelBox, _ known: [KnownSite] = []) -> ErrandRig {
        let rig = ErrandRig(.join(code, label: Array("ana's".utf8), number: nil, known), [box])
        rig.siteKey = HeldSecret(key.withPrivateKey { SecretBytes(copying: [UInt8](copying: $0)) })
        return rig
    }

    private func kept(_ rig: ErrandRig) -> GrantedSite? {
        for case .keepSite(let given, _) in rig.vaultCommands { return given }
        return nil
    }

    @Test("The key is kept before a box is looked for, and what the site gave before the person hears of it")
    func joins() throws {
        let (box, enrolment) = (try ModelBox(of: site), ModelEnrolment(site))
        enrolment.attach(to: box)
        let rig = joining(try enrolment.code(), box)
        guard case .siteKey? = rig.vaultCommands.first else { return #expect(Bool(false), "no key was asked for") }
        #expect(rig.progress.isEmpty && rig.written == 0)
        rig.run(until: { kept(rig) != nil })
        #expect(rig.end == nil, "nothing is said before it is kept")
        #expect(kept(rig)?.site == site.id.bytes)
        #expect(rig.run())
        guard case .joined(let joined)? = rig.end else { return #expect(Bool(false), "\(String(describing: rig.end))") }
        #expect(joined.id == [1] && joined.phoneKey == key.publicKey && enrolment.phoneKey == key.publicKey)
        #expect(try SiteAccess(joined).user == Array("ana".utf8))
    }

    @Test("A phone that is of the site already comes with the key of its row, and nothing waits")
    func joinsAgain() throws {
        let (box, enrolment) = (try ModelBox(of: site), ModelEnrolment(site))
        enrolment.attach(to: box)
        let known = KnownSite(
            id: [2], phoneKey: key.publicKey, document: try site.document().bytes,
            grant: try site.grant(key: key.publicKey, days: 1).bytes, entry: nil, hasCredential: false, holders: [])
        let rig = joining(try enrolment.code(), box, [known])
        #expect(rig.run())
        guard case .joined(let joined)? = rig.end else { return #expect(Bool(false), "\(String(describing: rig.end))") }
        #expect(joined.id == [2] && joined.grant != known.grant)
        #expect(!rig.vaultCommands.contains { if case .siteKey = $0 { true } else { false } })
    }

    @Test("What a site gives and has not signed, or a store that fails, joins no site")
    func joinsNothing() throws {
        for isStoreFull in [false, true] {
            let (box, enrolment) = (try ModelBox(of: site), ModelEnrolment(site))
            enrolment.attach(to: box)
            if !isStoreFull {
                let stranger = try TestSite().document().bytes
                enrolment.answer = { [unowned enrolment] message in
                    enrolment.answers(message).map { said in
                        guard case .siteDocument(let id, _) = said else { return said }
                        return .siteDocument(id, stranger)
                    }
                }
            }
            let rig = joining(try enrolment.code(), box)
            rig.run(until: { isStoreFull && kept(rig) != nil })
            if isStoreFull { rig.failVault() }
            #expect(rig.failure == (isStoreFull ? .vault(.diskFull) : .site(.otherSiteThanCode)))
        }
    }
}
