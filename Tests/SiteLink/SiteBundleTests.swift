import Secrets
import SiteTrust
import TestSupport
import Testing

@testable import SiteLink

@Suite("Bundles")
struct SiteBundleTests {
    private func document() throws -> MessageFromSite {
        .document(try ClaimedSiteDocument(parsing: LinkFixture.document().bytes))
    }

    private func certificate(_ number: Int = 1) throws -> MessageFromSite {
        let groups = try #require(SiteGroups([1]))
        let facts = try BoxFacts(
            boxID: [UInt8]("004711".utf8), boxKey: SHA256.hash([UInt8("\(number)".utf8.first ?? 0)]), groups: groups,
            expiry: LinkFixture.start + LinkFixture.day)
        let issued = try SiteBoxCertificate.issue(facts, site: LinkFixture.site, issuer: LinkFixture.ed25519(11))
        return .certificate(try ClaimedSiteBoxCertificate(parsing: issued.bytes))
    }

    private func entries(_ count: Int) throws -> MessageFromSite {
        let facts = try RevocationFacts(
            subject: .phone(key: [UInt8](repeating: 7, count: 32)), expiry: LinkFixture.start + LinkFixture.day,
            generation: LinkFixture.ordinal(1, 1))
        let entry = try ClaimedRevocation(
            parsing: Revocation.sign(facts, site: LinkFixture.site, issuer: LinkFixture.ed25519(13)).bytes)
        return .entries([ClaimedRevocation](repeating: entry, count: count))
    }

    private func head() throws -> MessageFromSite {
        let facts = try HeadFacts(
            generation: LinkFixture.ordinal(1, 1), number: 1, document: LinkFixture.ordinal(1, 3),
            setHash: [UInt8](repeating: 0, count: 32), time: LinkFixture.start)
        return .head(
            try ClaimedRevocationHead(
                parsing: RevocationHead.sign(facts, site: LinkFixture.site, issuer: LinkFixture.ed25519(13)).bytes))
    }

    private func bytes(_ messages: [MessageFromSite]) -> [UInt8] {
        SiteBundle.firstLine + messages.flatMap { SiteBundle.frame($0) }
    }

    private func read(_ bytes: [UInt8]) throws -> [MessageFromSite] {
        var reader = SiteBundleReader()
        let messages = try reader.add(bytes)
        try reader.finish()
        return messages
    }

    @Test("A bundle comes out as it went in, however it is cut", arguments: seeds)
    func cutting(seed: UInt64) throws {
        print("seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let messages = [
            try document(), try certificate(), try certificate(2), try entries(64), try entries(3), try head(),
        ]
        var (reader, found) = (SiteBundleReader(), [MessageFromSite]())
        for piece in LinkFixture.cut(bytes(messages), &random) { found += try reader.add(piece) }
        try reader.finish()
        #expect(found == messages, "seed \(seed)")
        #expect(try read(bytes([try document(), try head()])).count == 2, "certificates and entries may be none")
    }

    @Test("Wherever it is cut short, it is no whole bundle")
    func cutShort() throws {
        let whole = bytes([try document(), try certificate(), try entries(2), try head()])
        for count in 0..<whole.count {
            var reader = SiteBundleReader()
            _ = try reader.add([UInt8](whole.prefix(count)))
            let error: SiteBundleError = count < SiteBundle.firstLine.count ? .noBundle : .cutShort
            #expect(throws: error) { try reader.finish() }
        }
    }

    @Test("What stands in the wrong place, twice, behind the end or is no part of a bundle is refused")
    func order() throws {
        let (document, certificate, entries, head) = (try document(), try certificate(), try entries(1), try head())
        for messages in [
            [head], [certificate, document, head], [document, document, head], [document, head, head],
            [document, head, entries], [document, .wantEntries, head], [document, .refused(.removed), head],
            [document, .servers([try #require(SiteAddress([UInt8]("192.0.2.1:1".utf8)))]), head],
        ] {
            #expect(throws: SiteBundleError.damaged) { try read(bytes(messages)) }
        }
        #expect(throws: SiteBundleError.damaged) { try read(bytes([document, head]) + [0]) }
        #expect(throws: SiteBundleError.damaged) { try read(bytes([document]) + [0, 0]) }
        #expect(throws: SiteBundleError.damaged) { try read(bytes([document]) + [0x20, 1]) }
    }

    @Test("Another file is told apart from a newer bundle and from a damaged one")
    func firstLine() throws {
        #expect(throws: SiteBundleError.noBundle) { try read([UInt8]("boxsite-document:1/AAAA".utf8)) }
        #expect(throws: SiteBundleError.noBundle) { try read([0, 1, 2]) }
        #expect(throws: SiteBundleError.newerVersion) { try read([UInt8]("boxsite-bundle/2\n".utf8)) }
        var newer = try document().bytes
        newer[1] = 2
        #expect(throws: SiteBundleError.newerVersion) {
            try read(SiteBundle.firstLine + SiteFrames.frame(newer) + SiteBundle.frame(try head()))
        }
    }

    @Test("More certificates, entries or bytes than a bundle may have are refused")
    func bounds() throws {
        var reader = SiteBundleReader()
        _ = try reader.add(bytes([try document()]))
        let one = SiteBundle.frame(try certificate())
        for _ in 0..<SiteBundle.certificateLimit { _ = try reader.add(one) }
        #expect(throws: SiteBundleError.tooLong) { try reader.add(one) }
        reader = SiteBundleReader()
        _ = try reader.add(bytes([try document()]))
        let batch = SiteBundle.frame(try entries(64))
        for _ in 0..<RevocationSet.entryLimit / 64 { _ = try reader.add(batch) }
        #expect(throws: SiteBundleError.tooLong) { try reader.add(SiteBundle.frame(try entries(1))) }
        reader = SiteBundleReader()
        #expect(throws: SiteBundleError.tooLong) {
            try reader.add([UInt8](repeating: 0, count: SiteBundle.byteLimit + 1))
        }
    }
}
