import SecureChannel
import VaultPort

/// The identity that a box must prove before anything is sent to it.
struct ExpectedIdentity: Sendable, Equatable {
    /// Four to six ASCII digits.
    let boxID: [UInt8]
    /// X25519, 32 bytes.
    let boxKey: [UInt8]
    /// Ed25519, 32 bytes.
    let authorityKey: [UInt8]
    /// Certificates with a lower serial are refused.
    let lowestSerial: UInt64
    /// True if a certificate with a higher serial may give the box other digits. The same key proves the same box.
    var mayHaveNewDigits = false

    /// Checks an identity and returns its certificate. Only the handshake proves that the box has the certified key.
    func check(_ identity: [UInt8]) throws(IdentityProblem) -> BoxCertificate {
        let claimed: BoxIdentity
        do throws(CertificateError) {
            claimed = try BoxIdentity(parsing: identity)
        } catch {
            throw error == .unknownVersion ? .otherVersion : .unreadable
        }
        guard claimed.authorityKeyID == BoxIdentity.authorityKeyID(of: authorityKey) else { throw .otherAuthority }
        guard let certificate = try? claimed.certificate.verify(authority: authorityKey) else { throw .badSignature }
        guard certificate.boxKey == boxKey else { throw certificate.boxID == boxID ? .otherKey : .otherDigits }
        guard certificate.serial >= lowestSerial else {
            throw .olderCertificate(serial: certificate.serial, seen: lowestSerial)
        }
        guard certificate.boxID == boxID || mayHaveNewDigits && certificate.serial > lowestSerial else {
            throw .otherDigits
        }
        return certificate
    }
}

extension KnownBox {
    var expectedIdentity: ExpectedIdentity {
        ExpectedIdentity(
            boxID: boxID, boxKey: boxKey, authorityKey: authorityKey, lowestSerial: highestSerial,
            mayHaveNewDigits: true)
    }
}
