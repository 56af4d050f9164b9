import Secrets
import Testing

@testable import SecureChannel

@Suite("What a box says of itself behind its identity")
struct IdentityAdditionTests {
    private static let certificate = [UInt8](repeating: 0xC5, count: 141)

    private func identity(_ siteCertificate: [UInt8]?) throws -> BoxIdentity {
        let authority = Ed25519KeyPair()
        let certificate = try BoxCertificate.issue(
            boxID: [UInt8]("0427".utf8), boxKey: [UInt8](repeating: 0x30, count: 32), serial: 7, authority: authority)
        return try BoxIdentity(
            certificate: certificate, authority: authority.publicKey, siteCertificate: siteCertificate)
    }

    @Test("A site's certificate comes out as it went in, and without one the identity has 121 bytes")
    func siteCertificate() throws {
        let with = try identity(Self.certificate)
        #expect(with.bytes.count == BoxIdentity.byteCount + 3 + 141)
        #expect(try BoxIdentity(parsing: with.bytes).siteCertificate == Self.certificate)
        let without = try identity(nil)
        #expect(without.bytes.count == BoxIdentity.byteCount && without.siteCertificate == nil)
    }

    @Test("Unknown kinds are skipped, before and behind")
    func unknownKinds() throws {
        let plain = try identity(nil).bytes
        let own = IdentityAddition(kind: .siteCertificate, value: Self.certificate).bytes
        let later: [UInt8] = [2, 0, 1, 9, 200, 0, 0]
        #expect(try BoxIdentity(parsing: plain + own + later).siteCertificate == Self.certificate)
        #expect(try BoxIdentity(parsing: plain + later).siteCertificate == nil)
    }

    @Test(
        "Bytes that are no additions mean nothing, and are kept for the handshake",
        arguments: [
            [1], [1, 0], [1, 0, 1], [1, 0, 2, 9], [0, 0, 0], [1, 0, 0, 1, 0, 0], [2, 0, 0, 1, 0, 0],
            [1, 0xFF, 0xFF, 1],
        ] as [[UInt8]])
    func noAdditions(_ rest: [UInt8]) throws {
        let read = try BoxIdentity(parsing: try identity(nil).bytes + rest)
        #expect(read.siteCertificate == nil && read.rest == rest)
    }
}
