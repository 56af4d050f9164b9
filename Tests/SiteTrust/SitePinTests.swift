import Secrets
import Testing

@testable import SiteTrust

@Suite("Site documents, and what a pin takes")
struct SitePinTests {
    private typealias Fixture = SiteFixture

    private func expect(
        _ error: SiteError, _ document: SiteDocument, after first: SiteDocument? = nil, checks: Int = 0,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        var pin = try Fixture.pin(first)
        let before = pin
        var tally = SignatureTally()
        #expect(throws: error, sourceLocation: location) {
            try pin.take(Fixture.claimed(document), tally: &tally)
        }
        #expect(pin == before && tally.count == checks, sourceLocation: location)
    }

    @Test("A newer version by the pinned root is taken, with one signature looked at; the pinned one again, with none")
    func newer() throws {
        var pin = try Fixture.pin()
        var tally = SignatureTally()
        let newer = try Fixture.document(version: 4, issuers: [Fixture.issuer(.stranger, .phones)])
        #expect(try pin.take(Fixture.claimed(newer), tally: &tally) == .newerVersion && tally.count == 1)
        #expect(pin.document == newer)
        #expect(try pin.take(Fixture.claimed(newer), tally: &tally) == .none && tally.count == 1)
        #expect(
            try pin.take(Fixture.claimed(Fixture.document(version: 5, generation: 2)), tally: &tally) == .newGeneration)
    }

    @Test("An older version, an older generation and a second content of the pinned version are refused")
    func rollback() throws {
        try expect(.olderVersion, Fixture.document(version: 2))
        try expect(
            .olderGeneration, Fixture.document(version: 4, generation: 1), after: Fixture.document(generation: 2))
        try expect(.contradictsPinned, Fixture.document(issuers: []), checks: 1)
    }

    @Test("A document of another root, of another site, or that another key signed is refused")
    func strangers() throws {
        try expect(.otherSite, Fixture.document(version: 9, root: .stranger, site: Fixture.otherSite))
        try expect(.otherRoot, Fixture.document(version: 9, root: .stranger, rootNumber: 2))
        let genuine = try Fixture.document(version: 4)
        let forged = SiteSignature.sign(
            SiteSignature.content(genuine.bytes), SiteSignature.document, site: Fixture.site, by: Fixture.key(.stranger)
        )
        var pin = try Fixture.pin()
        var tally = SignatureTally()
        #expect(throws: SiteError.notSigned) { try pin.take(ClaimedSiteDocument(parsing: forged), tally: &tally) }
        #expect(throws: SiteError.otherRoot) {
            try SitePin(root: Fixture.key(.stranger).publicKey, document: Fixture.claimed(genuine), tally: &tally)
        }
        #expect(throws: SiteError.notSigned) {
            try SitePin(
                root: Fixture.key(.root).publicKey, document: ClaimedSiteDocument(parsing: forged), tally: &tally)
        }
        #expect(throws: SiteError.notSigned) { try SitePin(kept: forged, tally: &tally) }
        #expect(throws: SiteError.otherRoot) { try SiteDocument.sign(genuine.facts, root: Fixture.key(.nextRoot)) }
    }

    @Test("Only the key behind the pinned hash succeeds the root, and the old root's documents are over then")
    func succession() throws {
        var pin = try Fixture.pin()
        var tally = SignatureTally()
        let next = try Fixture.document(version: 1, root: .nextRoot, rootNumber: 2, next: .lastRoot)
        #expect(try pin.take(Fixture.claimed(next), tally: &tally) == .newGeneration && tally.count == 1)
        #expect(pin.facts.rootKey == Fixture.key(.nextRoot).publicKey && pin.site == Fixture.site)
        for late in [try Fixture.document(version: 4), try Fixture.document(version: .max, generation: .max)] {
            #expect(throws: SiteError.otherRoot) { try pin.take(Fixture.claimed(late), tally: &tally) }
        }
        let third = try Fixture.document(version: 1, root: .lastRoot, rootNumber: 3, next: .stranger)
        #expect(try pin.take(Fixture.claimed(third), tally: &tally) == .newGeneration)
    }

    @Test("A root cannot name another next root, nor count itself as another one")
    func rootBounds() throws {
        try expect(.nextRootChanged, Fixture.document(version: 4, next: .stranger))
        try expect(.wrongRootNumber, Fixture.document(root: .nextRoot, rootNumber: 3, next: .lastRoot))
        let second = try Fixture.document(root: .nextRoot, rootNumber: 2, next: .lastRoot)
        try expect(
            .wrongRootNumber, Fixture.document(version: 9, root: .nextRoot, rootNumber: 3, next: .lastRoot),
            after: second)
        try expect(.otherRoot, Fixture.document(root: .lastRoot, rootNumber: 3, next: .stranger))
    }

    @Test("A thief of the root who signs the highest version there is does not keep out the next root")
    func burntVersions() throws {
        var pin = try Fixture.pin()
        var tally = SignatureTally()
        _ = try pin.take(Fixture.claimed(Fixture.document(version: .max, generation: .max)), tally: &tally)
        let next = try Fixture.document(version: 1, root: .nextRoot, rootNumber: 2, next: .lastRoot)
        #expect(try pin.take(Fixture.claimed(next), tally: &tally) == .newGeneration)
    }

    @Test("A pin comes back from what was kept, whatever number its root has")
    func kept() throws {
        var tally = SignatureTally()
        for document in [try Fixture.document(), try Fixture.document(root: .nextRoot, rootNumber: 2, next: .lastRoot)]
        {
            let pin = try Fixture.pin(document)
            #expect(try SitePin(kept: pin.bytes, tally: &tally) == pin)
        }
    }

    @Test("A document whose count of issuers is another than it has is refused, whoever signed it")
    func counts() throws {
        let content = SiteSignature.content(try Fixture.document().bytes)
        let countPlace = SiteDocument.fixedBytes - Ed25519.signatureBytes - 1
        for count: UInt8 in [0, 3, 5, 16, 17, 255] {
            var changed = content
            changed[countPlace] = count
            let signed = SiteSignature.sign(
                changed, SiteSignature.document, site: Fixture.site, by: Fixture.key(.root))
            #expect(throws: SiteError.wrongLength) { try ClaimedSiteDocument(parsing: signed) }
        }
    }

    @Test("Facts that a document cannot hold are refused before anything is signed")
    func bounds() throws {
        let issuers = Fixture.issuers
        let many = (0..<17).map { fill in
            SiteIssuer(role: .phones, key: [UInt8](repeating: UInt8(fill + 1), count: 32), expiry: 1)
        }
        #expect(
            try Fixture.document(issuers: many.dropLast().compactMap { $0 }).bytes.count == SiteDocument.byteCountLimit)
        for wrong in [
            many.compactMap { $0 }, issuers.reversed(), [issuers[0], issuers[0]], [Fixture.issuer(.root, .phones)],
            [Fixture.issuer(.phones, .boxes), Fixture.issuer(.phones, .phones)],
        ] {
            #expect(throws: SiteError.invalidField) { try Fixture.document(issuers: wrong) }
        }
        #expect(throws: SiteError.invalidField) { try Fixture.document(site: Fixture.otherSite) }
        #expect(throws: SiteError.invalidField) {
            try SiteDocumentFacts(
                site: Fixture.site, version: Fixture.ordinal(1, 1), generation: Fixture.ordinal(2, 1),
                rootKey: Fixture.key(.root).publicKey, nextRootHash: [UInt8](repeating: 0, count: 32), issuers: [])
        }
        #expect(SiteOrdinal(root: 0, count: 1) == nil && SiteOrdinal(root: 1, count: 0) == nil)
        #expect(SiteIssuer(role: .boxes, key: [1], expiry: 1) == nil)
        #expect(SiteIssuer(role: .boxes, key: Fixture.key(.boxes).publicKey, expiry: SiteSeconds.limit) == nil)
        #expect(SiteID(bytes: []) == nil && SiteUserID(bytes: [1]) == nil)
    }
}
