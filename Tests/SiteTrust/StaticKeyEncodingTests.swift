import Secrets
import Testing

@testable import SiteTrust

@Suite("Static keys in what a site signs")
struct StaticKeyEncodingTests {
    private typealias Fixture = SiteFixture

    /// Second encodings: `key` with the top bit set, and numbers of at least 2^255 - 19, which stand for small numbers.
    private static func otherEncodings(of key: [UInt8]) -> [[UInt8]] {
        var topBit = key
        topBit[31] |= 0x80
        return [topBit] + [0xED, 0xF6, 0xFF].map { [$0] + [UInt8](repeating: 0xFF, count: 30) + [0x7F] }
    }

    /// Returns copies of `bytes`, each with a second encoding in place of the 32 bytes at `offset`.
    private func others(_ bytes: [UInt8], at offset: Int) -> [[UInt8]] {
        Self.otherEncodings(of: [UInt8](bytes[offset..<offset + 32])).map { key in
            var changed = bytes
            changed.replaceSubrange(offset..<offset + 32, with: key)
            return changed
        }
    }

    @Test("A grant is not made or read for the second encoding of a phone's key")
    func grants() throws {
        let bytes = try Fixture.grant().bytes
        let offset = try #require(place(of: Fixture.phone, in: bytes))
        for key in Self.otherEncodings(of: Fixture.phone) {
            #expect(throws: SiteError.invalidField) { try Fixture.grantFacts(phone: key) }
            #expect(SitePhoneCode(phoneKey: key) == nil)
        }
        for changed in others(bytes, at: offset) {
            #expect(throws: SiteError.invalidField) { try ClaimedGrant(parsing: changed) }
        }
    }

    @Test("A certificate is not made or read for the second encoding of a box's or a server's key")
    func certificates() throws {
        let box = try Fixture.certificate().bytes
        let server = try SiteServerCertificate.issue(
            serverKey: Fixture.box, expiry: Fixture.start, site: Fixture.site, issuer: Fixture.key(.servers)
        ).bytes
        for key in Self.otherEncodings(of: Fixture.box) {
            #expect(throws: SiteError.invalidField) { try Fixture.certificate(boxKey: key) }
            #expect(throws: SiteError.invalidField) {
                try SiteServerCertificate.issue(
                    serverKey: key, expiry: Fixture.start, site: Fixture.site, issuer: Fixture.key(.servers))
            }
        }
        for changed in others(box, at: try #require(place(of: Fixture.box, in: box))) {
            #expect(throws: SiteError.invalidField) { try ClaimedSiteBoxCertificate(parsing: changed) }
        }
        for changed in others(server, at: try #require(place(of: Fixture.box, in: server))) {
            #expect(throws: SiteError.invalidField) { try ClaimedSiteServerCertificate(parsing: changed) }
        }
    }

    @Test("The second encoding of a site's key is not signed, read or kept")
    func siteKeys() throws {
        let number = Fixture.ordinal(1, 1)
        let bytes = try SiteKeyStatement.sign(
            key: Fixture.box, number: number, site: Fixture.site, root: Fixture.key(.root)
        ).bytes
        for key in Self.otherEncodings(of: Fixture.box) {
            #expect(throws: SiteError.invalidField) {
                try SiteKeyStatement.sign(key: key, number: number, site: Fixture.site, root: Fixture.key(.root))
            }
            #expect(throws: SiteError.invalidField) { try KeptSiteKey(code: key) }
        }
        for changed in others(bytes, at: try #require(place(of: Fixture.box, in: bytes))) {
            #expect(throws: SiteError.invalidField) { try ClaimedSiteKeyStatement(parsing: changed) }
        }
    }

    private func place(of key: [UInt8], in bytes: [UInt8]) -> Int? {
        (0...max(0, bytes.count - key.count)).first { Array(bytes[$0..<$0 + key.count]) == key }
    }
}
