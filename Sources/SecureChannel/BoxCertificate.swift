import Secrets

/// An authority's statement about a box: its ID, its static key, and a serial that only rises.
///
/// A value of this type was verified or issued here; outside data is a `ClaimedBoxCertificate`. The verifier must still
/// compare the serial with the highest it has seen for this box.
public struct BoxCertificate: Sendable, Equatable {
    /// version (1) ‖ box ID (6, digits and then zeros) ‖ box key (32) ‖ serial (8, big-endian) ‖ signature (64).
    public static let byteCount = 111
    /// Part of the signed data, so that another kind of signature by an authority is not a certificate.
    public static let signatureContext: StaticString = "boxlink-cert-2"

    /// Four to six ASCII digits.
    public let boxID: [UInt8]
    /// The box's X25519 static public key, 32 bytes.
    public let boxKey: [UInt8]
    public let serial: UInt64
    /// The certificate as it is sent.
    public let bytes: [UInt8]

    init(verified claimed: ClaimedBoxCertificate) {
        boxID = claimed.boxID
        boxKey = claimed.boxKey
        serial = claimed.serial
        bytes = claimed.bytes
    }

    /// Signs a certificate for a box with an ID of four to six ASCII digits and a static public key of 32 bytes.
    public static func issue(
        boxID: [UInt8], boxKey: [UInt8], serial: UInt64, authority: borrowing Ed25519KeyPair
    ) throws(CertificateError) -> BoxCertificate {
        guard BoxIDDigits.isValid(boxID) else { throw .invalidBoxID }
        guard boxKey.count == X25519KeyPair.keyBytes else { throw .wrongLength }
        guard X25519KeyPair.isPublicKey(boxKey) else { throw .invalidBoxKey }
        var bytes: [UInt8] = [ClaimedBoxCertificate.version]
        bytes.append(contentsOf: BoxIDDigits.field(boxID))
        bytes.append(contentsOf: boxKey)
        bytes.append(bigEndian: serial)
        bytes.append(contentsOf: authority.sign(context: signatureContext, message: bytes))
        return BoxCertificate(verified: try ClaimedBoxCertificate(parsing: bytes))
    }
}
