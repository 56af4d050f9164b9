import Secrets
import Testing

@testable import SecureChannel

@Suite("Box certificate and identity")
struct BoxCertificateTests {
    private static let boxID = [UInt8]("0427".utf8)
    private static let boxKey = [UInt8](repeating: 0x30, count: 32)

    private func issue(_ authority: borrowing Ed25519KeyPair, serial: UInt64 = 7) throws -> BoxCertificate {
        try BoxCertificate.issue(boxID: Self.boxID, boxKey: Self.boxKey, serial: serial, authority: authority)
    }

    @Test("What an authority issued verifies under its key, with all fields as they were")
    func issuedVerifies() throws {
        let authority = Ed25519KeyPair()
        let issued = try issue(authority, serial: 0x0102_0304_0506_0708)
        #expect(issued.bytes.count == BoxCertificate.byteCount)
        #expect(issued.bytes[39..<47] == [1, 2, 3, 4, 5, 6, 7, 8])
        let verified = try ClaimedBoxCertificate(parsing: issued.bytes).verify(authority: authority.publicKey)
        #expect(verified == issued)
        #expect(verified.boxID == Self.boxID && verified.boxKey == Self.boxKey)
        #expect(verified.serial == 0x0102_0304_0506_0708)
    }

    @Test("A certificate of another authority is refused")
    func otherAuthority() throws {
        let authority = Ed25519KeyPair()
        let other = Ed25519KeyPair()
        let claimed = try ClaimedBoxCertificate(parsing: issue(other).bytes)
        #expect(throws: CertificateError.notSignedByAuthority) { try claimed.verify(authority: authority.publicKey) }
        #expect(throws: CertificateError.notSignedByAuthority) { try claimed.verify(authority: []) }
    }

    @Test("A flip of any bit is refused, at parsing or at verification")
    func flips() throws {
        let authority = Ed25519KeyPair()
        let bytes = try issue(authority).bytes
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: CertificateError.self) {
                try ClaimedBoxCertificate(parsing: changed).verify(authority: authority.publicKey)
            }
        }
    }

    @Test("A signature of the authority over the same bytes for another purpose is no certificate")
    func otherContext() throws {
        let authority = Ed25519KeyPair()
        let content = [UInt8](try issue(authority).bytes.prefix(47))
        let forged = content + authority.sign(context: "boxlink-roster-1", message: content)
        let claimed = try ClaimedBoxCertificate(parsing: forged)
        #expect(throws: CertificateError.notSignedByAuthority) { try claimed.verify(authority: authority.publicKey) }
    }

    @Test("A certificate is not issued or read for the second encoding of a box key")
    func secondEncoding() throws {
        let authority = Ed25519KeyPair()
        var key = Self.boxKey
        key[31] |= 0x80
        #expect(throws: CertificateError.self) {
            try BoxCertificate.issue(boxID: Self.boxID, boxKey: key, serial: 1, authority: authority)
        }
        var bytes = try issue(authority).bytes
        bytes[38] |= 0x80
        #expect(throws: CertificateError.self) { try ClaimedBoxCertificate(parsing: bytes) }
    }

    @Test("Other lengths, versions and box IDs are refused")
    func malformed() throws {
        let authority = Ed25519KeyPair()
        let bytes = try issue(authority).bytes
        for count in [Int](0..<bytes.count) + [112, 500] {
            let changed = [UInt8](bytes.prefix(count)) + [UInt8](repeating: 0, count: max(0, count - 111))
            #expect(throws: CertificateError.wrongLength) { try ClaimedBoxCertificate(parsing: changed) }
        }
        for version: UInt8 in [0, 1, 3, 255] {
            #expect(throws: CertificateError.unknownVersion) {
                try ClaimedBoxCertificate(parsing: [version] + bytes.dropFirst())
            }
        }
        for boxID in ["", "123", "1234567", "12 4", "12a4", "12345a", "١٢٣٤"] {
            #expect(throws: CertificateError.invalidBoxID) {
                try BoxCertificate.issue(
                    boxID: [UInt8](boxID.utf8), boxKey: Self.boxKey, serial: 1, authority: authority)
            }
        }
        #expect(throws: CertificateError.wrongLength) {
            try BoxCertificate.issue(boxID: Self.boxID, boxKey: [1], serial: 1, authority: authority)
        }
    }

    @Test("A box ID has four to six digits, each with one encoding", arguments: ["0000", "0427", "00427", "123456"])
    func digits(boxID: String) throws {
        let authority = Ed25519KeyPair()
        let digits = [UInt8](boxID.utf8)
        let issued = try BoxCertificate.issue(boxID: digits, boxKey: Self.boxKey, serial: 1, authority: authority)
        #expect(try ClaimedBoxCertificate(parsing: issued.bytes).verify(authority: authority.publicKey).boxID == digits)
        #expect(BoxIDDigits.field(digits).count == BoxIDDigits.fieldBytes)
        #expect(BoxIDDigits.reading(BoxIDDigits.field(digits)[...]) == digits)
        for field in ["1234\u{0}5", "123\u{0}\u{0}\u{0}", "\u{0}12345", "12345 ", "1234"] {
            #expect(BoxIDDigits.reading([UInt8](field.utf8)[...]) == nil, "\(field)")
        }
    }

    @Test("An identity comes out of its bytes as it went in, and names its authority")
    func identity() throws {
        let authority = Ed25519KeyPair()
        let certificate = try issue(authority)
        let identity = try BoxIdentity(
            flags: .enrolmentOpen, certificate: certificate, authority: authority.publicKey)
        #expect(identity.bytes.count == BoxIdentity.byteCount)
        let parsed = try BoxIdentity(parsing: identity.bytes)
        #expect(parsed == identity)
        #expect(parsed.flags.contains(.enrolmentOpen))
        #expect(parsed.authorityKeyID == [UInt8](SHA256.hash(authority.publicKey).prefix(8)))
        #expect(try parsed.certificate.verify(authority: authority.publicKey) == certificate)
    }

    @Test("What follows the part that is known is kept, byte for byte, up to 512 bytes")
    func longerIdentity() throws {
        let authority = Ed25519KeyPair()
        let bytes = try BoxIdentity(certificate: issue(authority), authority: authority.publicKey).bytes
        for count in [1, 64, 512 - BoxIdentity.byteCount] {
            let longer = bytes + [UInt8](repeating: 0xA5, count: count)
            let parsed = try BoxIdentity(parsing: longer)
            #expect(parsed.bytes == longer && parsed.rest.count == count)
            #expect(try parsed.certificate.verify(authority: authority.publicKey).boxID == Self.boxID)
        }
        #expect(throws: CertificateError.wrongLength) {
            try BoxIdentity(parsing: bytes + [UInt8](repeating: 0, count: 513 - BoxIdentity.byteCount))
        }
    }

    @Test("An identity that is too short, or of a box that speaks older versions only, is refused; what is new is kept")
    func malformedIdentity() throws {
        let authority = Ed25519KeyPair()
        let bytes = try BoxIdentity(certificate: issue(authority), authority: authority.publicKey).bytes
        for count in 0..<bytes.count {
            #expect(throws: CertificateError.wrongLength) { try BoxIdentity(parsing: [UInt8](bytes.prefix(count))) }
        }
        for version: UInt8 in [0, 1] {
            #expect(throws: CertificateError.unknownVersion) { try BoxIdentity(parsing: [version] + bytes.dropFirst()) }
        }
        #expect(throws: CertificateError.unknownVersion) { try BoxIdentity(parsing: [1]) }
        let future = try BoxIdentity(parsing: [3, 0xFF] + bytes.dropFirst(2))
        #expect(future.flags.rawValue == 0xFF && future.version == 3)
    }
}
