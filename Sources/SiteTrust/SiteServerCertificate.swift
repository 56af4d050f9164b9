import Secrets

/// A site's statement about one of its servers. Boxes trust every server with such a certificate by a listed issuer.
public struct SiteServerCertificate: Sendable, Equatable {
    /// Layout version (1) ‖ issuer's key id (8) ‖ server key (32) ‖ expiry (8) ‖ signature (64).
    public static let byteCount = 113

    /// The server's X25519 static public key, 32 bytes.
    public let serverKey: [UInt8]
    /// The first second in which the certificate is no longer valid.
    public let expiry: UInt64
    /// The encoded certificate.
    public let bytes: [UInt8]

    init(verified claimed: ClaimedSiteServerCertificate) {
        serverKey = claimed.serverKey
        expiry = claimed.expiry
        bytes = claimed.bytes
    }

    /// Signs a certificate with the key of an issuer of role `servers`, for a server key of 32 bytes.
    public static func issue(
        serverKey: [UInt8], expiry: UInt64, site: SiteID, issuer: borrowing Ed25519KeyPair
    ) throws(SiteError) -> SiteServerCertificate {
        guard X25519KeyPair.isPublicKey(serverKey), SiteSeconds.isValid(expiry) else { throw .invalidField }
        var content = [ClaimedSiteServerCertificate.version]
        content.append(bigEndian: IssuerKeyID(of: issuer.publicKey).value)
        content += serverKey
        content.append(bigEndian: expiry)
        let bytes = SiteSignature.sign(content, SiteSignature.server, site: site, by: issuer)
        return SiteServerCertificate(verified: try ClaimedSiteServerCertificate(parsing: bytes))
    }
}

/// A well-formed server certificate from outside. Its signature is not verified yet.
public struct ClaimedSiteServerCertificate: Sendable, Equatable {
    static let version: UInt8 = 1

    public let issuer: IssuerKeyID
    public let serverKey: [UInt8]
    public let expiry: UInt64
    public let bytes: [UInt8]

    /// Reads the 113 bytes of a certificate.
    public init(parsing bytes: [UInt8]) throws(SiteError) {
        guard let version = bytes.first else { throw .wrongLength }
        guard version == Self.version else { throw .unknownVersion }
        guard bytes.count == SiteServerCertificate.byteCount else { throw .wrongLength }
        var fields = FieldReader(bytes)
        _ = try fields.byte()
        issuer = IssuerKeyID(try fields.number())
        serverKey = try fields.take(X25519KeyPair.keyBytes)
        expiry = try fields.number()
        guard X25519KeyPair.isPublicKey(serverKey), SiteSeconds.isValid(expiry) else { throw .invalidField }
        self.bytes = bytes
    }

    /// Returns the certificate if a listed issuer of role `servers` signed it, and neither issuer nor certificate has
    /// expired at `time`. `time` is nil if the box must first ask the server for the time. Checks one signature.
    ///
    /// Throws `unknownIssuer`, `wrongRole`, `issuerExpired` (issuer or certificate) or `notSigned`.
    public func verify(
        _ pin: SitePin, at time: UInt64?, tally: inout SignatureTally
    ) throws(SiteError) -> SiteServerCertificate {
        let issuer = try pin.facts.issuer(issuer, .servers)
        if let time, time >= issuer.expiry || time >= expiry { throw .issuerExpired }
        guard SiteSignature.isSigned(bytes, SiteSignature.server, site: pin.site, by: issuer.key, tally: &tally) else {
            throw .notSigned
        }
        return SiteServerCertificate(verified: self)
    }
}
