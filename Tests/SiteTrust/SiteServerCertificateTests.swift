import Secrets
import Testing

@testable import SiteTrust

@Suite("Whether a box believes a server of its site")
struct SiteServerCertificateTests {
    private typealias Fixture = SiteFixture

    private let server = SiteFixture.x25519(31)

    private func certificate(
        expiry: UInt64 = SiteFixture.start + SiteFixture.day, site: SiteID = SiteFixture.site,
        by signer: SiteFixture.Signer = .servers
    ) throws -> ClaimedSiteServerCertificate {
        let issued = try SiteServerCertificate.issue(
            serverKey: server, expiry: expiry, site: site, issuer: Fixture.key(signer))
        return try ClaimedSiteServerCertificate(parsing: issued.bytes)
    }

    private func expect(
        _ error: SiteError, _ claimed: ClaimedSiteServerCertificate, _ pin: SitePin? = nil,
        at time: UInt64? = SiteFixture.start, checks: Int = 0, _ location: SourceLocation = #_sourceLocation
    ) throws {
        let pin = try pin ?? Fixture.pin()
        var tally = SignatureTally()
        #expect(throws: error, sourceLocation: location) { try claimed.verify(pin, at: time, tally: &tally) }
        #expect(tally.count == checks, sourceLocation: location)
    }

    @Test("A server that an issuer of servers vouches for is believed, with one signature looked at")
    func good() throws {
        for time in [Fixture.start, Fixture.start + Fixture.day - 1, nil] {
            var tally = SignatureTally()
            let believed = try certificate().verify(Fixture.pin(), at: time, tally: &tally)
            #expect(believed.serverKey == server && believed.expiry == Fixture.start + Fixture.day)
            #expect(believed.bytes.count == 113 && tally.count == 1)
        }
    }

    @Test("A certificate by an issuer of another role, by a stranger, or of another site is refused")
    func wrongIssuers() throws {
        for signer in [SiteFixture.Signer.boxes, .phones, .revocations] {
            try expect(.wrongRole, certificate(by: signer))
        }
        try expect(.unknownIssuer, certificate(by: .stranger))
        // Even the root cannot sign for a server.
        try expect(.unknownIssuer, certificate(by: .root))
        try expect(.notSigned, certificate(site: Fixture.otherSite), checks: 1)
    }

    @Test("A signature of another kind, or of a stranger in the issuer's name, is none")
    func forged() throws {
        let content = SiteSignature.content(try certificate().bytes)
        for (context, signer) in [
            (SiteSignature.boxCertificate, SiteFixture.Signer.servers), (SiteSignature.server, .stranger),
        ] {
            let bytes = SiteSignature.sign(content, context, site: Fixture.site, by: Fixture.key(signer))
            try expect(.notSigned, ClaimedSiteServerCertificate(parsing: bytes), checks: 1)
        }
    }

    @Test("It ends with its expiry or its issuer's; a box that knows no time looks at neither")
    func expiry() throws {
        try expect(.issuerExpired, certificate(), at: Fixture.start + Fixture.day)
        try expect(.issuerExpired, certificate(), at: (1 << 40) - 1)
        let short = try Fixture.document(issuers: [Fixture.issuer(.servers, .servers, expiry: Fixture.start + 10)])
        try expect(.issuerExpired, certificate(), Fixture.pin(short), at: Fixture.start + 10)
        var tally = SignatureTally()
        _ = try certificate().verify(Fixture.pin(short), at: Fixture.start + 9, tally: &tally)
        _ = try certificate().verify(Fixture.pin(short), at: nil, tally: &tally)
        #expect(tally.count == 2)
        // The signature is verified even if no time is known.
        try expect(.notSigned, certificate(site: Fixture.otherSite), at: nil, checks: 1)
    }

    @Test("Each byte that is changed is refused; a later layout is told apart from damage")
    func damage() throws {
        let (whole, pin) = (try certificate().bytes, try Fixture.pin())
        for position in whole.indices {
            var damaged = whole
            damaged[position] ^= 1
            var tally = SignatureTally()
            do throws(SiteError) {
                let claimed = try ClaimedSiteServerCertificate(parsing: damaged)
                _ = try claimed.verify(pin, at: Fixture.start, tally: &tally)
                Issue.record("byte \(position) may be changed")
            } catch {
                #expect((error == .unknownVersion) == (position == 0), "byte \(position)")
            }
        }
        for other in [[UInt8](whole.dropLast()), whole + [0], [1], []] {
            #expect(throws: SiteError.wrongLength) { try ClaimedSiteServerCertificate(parsing: other) }
        }
        var late = whole
        late[43] = 1
        #expect(throws: SiteError.invalidField) { try ClaimedSiteServerCertificate(parsing: late) }
    }

    @Test("Nothing is issued for a key of another length, or for a time that there is not")
    func wrongFields() throws {
        for (key, expiry) in [
            ([UInt8](server.dropLast()), Fixture.start), (server + [0], Fixture.start), (server, 1 << 40),
        ] {
            #expect(throws: SiteError.invalidField) {
                try SiteServerCertificate.issue(
                    serverKey: key, expiry: expiry, site: Fixture.site, issuer: Fixture.key(.servers))
            }
        }
    }
}
