import PhoneMessages
import Secrets
import SiteTrust
import Testing
import VaultPort

@testable import PhoneCore

/// An issuer of boxes or phones is replaced. The document of one side does not list the other side's issuer.
@Suite("A phone whose site has a newer document")
struct SiteDocumentTests {
    private let site = TestSite()

    private func rig(_ order: Order, _ boxes: [ModelBox]) -> ErrandRig {
        let rig = ErrandRig(order, boxes)
        rig.siteKey = site.privateKey
        return rig
    }

    private func login(_ target: BoxTarget) -> Order {
        .request(target, .login(HeldSecret(SecretBytes(copying: Array("password".utf8)))))
    }

    /// Returns a box that shows `document`, with a certificate by an issuer that the phone's document does not list.
    private func certified(by issuer: Signer, showing document: @escaping ([UInt8]?) -> [UInt8]?) throws -> ModelBox {
        let box = try ModelBox(of: site)
        box.siteCertificate = try site.certificate("004711", key: box.row.boxKey, by: issuer)
        box.document = document
        return box
    }

    @Test("It asks the box for it, keeps it, and logs in: nothing else was sent before, and nothing says who it is")
    func learns() throws {
        let issuer = Signer()
        let newer = try site.document(version: 2, boxes: [issuer]).bytes
        let box = try certified(by: issuer) { _ in newer }
        let rig = rig(login(try site.target()), [box])
        #expect(rig.run())
        #expect(box.documentsWanted == [nil])
        #expect(box.secretRequests == 1)
        let kept = rig.vaultCommands.compactMap {
            if case .keepSiteNews(let news) = $0 { [news.document, news.id, news.inPlaceOf] } else { nil }
        }
        #expect(kept == [[newer, site.rowID, try site.document().bytes]])
    }

    @Test("Before it is written down the phone says nothing more, and where it cannot be, the box is not believed")
    func durable() throws {
        let issuer = Signer()
        let newer = try site.document(version: 2, boxes: [issuer]).bytes
        let box = try certified(by: issuer) { _ in newer }
        let rig = rig(login(try site.target()), [box])
        let isKeeping = {
            rig.pending.contains { if case .vault(_, .keepSiteNews) = $0 { true } else { false } }
        }
        #expect(rig.run(until: isKeeping))
        #expect(isKeeping() && box.requests == 0 && box.shown.isEmpty)
        rig.failVault()
        #expect(rig.run())
        #expect(rig.failure == .notTheBox(boxID: "004711", .site(.unknownIssuer)))
        #expect(box.requests == 0 && box.shown.isEmpty)
    }

    @Test("A document that does not follow the pinned one changes nothing, and the box that shows it is passed by")
    func refused() throws {
        let (issuer, other) = (Signer(), TestSite())
        var forged = try site.document(version: 2, boxes: [issuer]).bytes
        forged[forged.count - 1] ^= 1
        let shown: [[UInt8]] = [
            try other.document(version: 2).bytes, try site.document().bytes, forged, [1], [],
            [UInt8](repeating: 1, count: 1_024), [UInt8](repeating: 1, count: 1_025),
        ]
        for document in shown {
            let box = try certified(by: issuer) { _ in document }
            let rig = rig(login(try site.target()), [box])
            #expect(rig.run())
            #expect(rig.failure == .notTheBox(boxID: "004711", .site(.unknownIssuer)))
            #expect(box.documentsWanted.count <= 4 && box.requests == 0 && box.shown.isEmpty)
            #expect(!rig.vaultCommands.contains { if case .keepSiteNews = $0 { true } else { false } })
        }
    }

    @Test("A box that shows nothing, or ends the link, is passed by, and the right one behind it is found")
    func silent() throws {
        let issuer = Signer()
        let newer = try site.document(version: 2, boxes: [issuer]).bytes
        let (twin, box) = (try certified(by: Signer()) { _ in nil }, try certified(by: issuer) { _ in newer })
        let rig = rig(login(try site.target()), [twin, box])
        #expect(rig.run())
        #expect(box.secretRequests == 1)
        #expect(twin.requests == 0 && twin.shown.isEmpty)
    }

    @Test("Boxes that show one document after the other do not hold the phone for ever")
    func endless() throws {
        var version: UInt32 = 1
        let site = self.site
        let box = try certified(by: Signer()) { _ in
            version += 1
            return try? site.document(version: version).bytes
        }
        let rig = rig(login(try site.target()), [box])
        #expect(rig.run())
        #expect(rig.failure == .notTheBox(boxID: "004711", .site(.unknownIssuer)))
        #expect(box.documentsWanted.count == 4)
    }

    @Test("Of two sites the right one learns it")
    func severalSites() throws {
        let (issuer, other) = (Signer(), TestSite())
        let newer = try site.document(version: 2, boxes: [issuer]).bytes
        let box = try certified(by: issuer) { _ in newer }
        let sites = [try SiteAccess(try other.known()), try SiteAccess(try site.known())]
        let target = try #require(BoxTarget.number("004711", of: sites))
        let rig = rig(login(target), [box])
        #expect(rig.run())
        #expect(box.secretRequests == 1)
    }

    @Test("A link that dies at any step ends in a retry or an error, and a login is looked at once at most")
    func lostLinks() throws {
        let issuer = Signer()
        let newer = try site.document(version: 2, boxes: [issuer]).bytes
        for step in 0..<60 {
            let box = try certified(by: issuer) { _ in newer }
            let rig = rig(login(try site.target()), [box])
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

    // MARK: The box lacks the document

    /// Returns a box that refuses phones for lack of a document, until `answer` handles the phone's document.
    private func lacking(_ answer: @escaping (ModelBox, [UInt8]?) -> [UInt8]?) throws -> ModelBox {
        let box = try ModelBox(of: site)
        box.refusal = .siteDocumentNeeded
        box.document = { [unowned box] in answer(box, $0) }
        return box
    }

    @Test("A box that lacks the phone's is shown it once, and logs the phone in when it has it")
    func offers() throws {
        let document = try site.document().bytes
        let box = try lacking { box, shown in
            box.refusal = nil
            return shown
        }
        let rig = rig(login(try site.target(holders: [box.row.boxKey])), [box])
        #expect(rig.run())
        #expect(box.documentsWanted == [document])
        #expect(box.shown.count == 2 && box.secretRequests == 1)
        guard case .whole? = box.shown.last ?? nil else { return #expect(Bool(false), "not whole") }
    }

    @Test("A box that does not take it is not asked again, and the person hears why")
    func offeredInVain() throws {
        let box = try lacking { _, _ in nil }
        let rig = rig(login(try site.target()), [box])
        #expect(rig.run())
        #expect(rig.failure == .grantRefused(boxID: "004711", .siteDocumentNeeded))
        #expect(box.documentsWanted.count == 1 && box.shown.count == 2 && box.secretRequests == 0)
    }

    @Test("A box that has a newer one itself shows it, and the phone keeps it")
    func boxIsAhead() throws {
        let newer = try site.document(version: 2).bytes
        let box = try lacking { box, _ in
            box.refusal = nil
            return newer
        }
        let rig = rig(login(try site.target()), [box])
        #expect(rig.run())
        #expect(rig.vaultCommands.contains { if case .keepSiteNews = $0 { true } else { false } })
        #expect(box.secretRequests == 1)
    }
}
