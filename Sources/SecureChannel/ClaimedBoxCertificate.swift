import Secrets

/// A box certificate from outside: well-formed, but its signature is not verified.
public struct ClaimedBoxCertificate: Sendable, Equatable {
    static let version: UInt8 = 2
    private static let signedBytes = BoxCertificate.byteCount - Ed25519.signatureBytes

    public let boxID: [UInt8]
    public let boxKey: [UInt8]
    public let serial: UInt64
    let bytes: [UInt8]

    /// Reads the 111 bytes of a certificate.
    public init(parsing bytes: [UInt8]) throws(CertificateError) {
        guard bytes.count == BoxCertificate.byteCount else { throw .wrongLength }
        guard bytes[0] == Self.version else { throw .unknownVersion }
        guard let boxID = BoxIDDigits.reading(bytes[1..<7]) else { throw .invalidBoxID }
        self.boxID = boxID
        boxKey = [UInt8](bytes[7..<39])
        guard X25519KeyPair.isPublicKey(boxKey) else { throw .invalidBoxKey }
        serial = bytes[39..<47].reduce(0) { $0 << 8 | UInt64($1) }
        self.bytes = bytes
    }

    /// Returns the certificate if `authority` (Ed25519 public key, 32 bytes) signed it.
    public func verify(authority: [UInt8]) throws(CertificateError) -> BoxCertificate {
        let (content, signature) = (bytes[..<Self.signedBytes], bytes[Self.signedBytes...])
        let isAuthentic = Ed25519.verify(
            signature: [UInt8](signature), context: BoxCertificate.signatureContext, message: [UInt8](content),
            publicKey: authority)
        guard isAuthentic else { throw .notSignedByAuthority }
        return BoxCertificate(verified: self)
    }
}
