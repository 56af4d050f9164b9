import Secrets

/// What a site says about one of its servers: boxes pin the root, and believe every server that it vouches for.
public struct SiteServerCertificate: Sendable, Equatable {
    /// Its version (1) ‖ issuer's key id (8) ‖ server key (32) ‖ expiry (8) ‖ signature (64).
    public static let byteCount = 113

    /// The server's X25519 static public key, 32 bytes.
    public let serverKey: [UInt8]
    /// The first second in which it is no good any more.
    public let expiry: UInt64
    /// The certificate as it is sent.
    public let bytes: [UInt8]

    init(verified claimed: ClaimedSiteServerCertificate) {
        serverKey = claimed.serverKey
        expiry = claimed.expiry
        bytes = claimed.bytes
    }

    /// Signs a certificate, by an issuer of role `servers`, for a key of 32 bytes.
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

/// A server's certificate as it came from outside: well-formed, its signature not looked at.
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

    /// The certificate, if the pinned document lists its issuer with role `servers`, neither time is over at `time` (nil: the box
    /// does not know the time, and asks the server for it), and it is signed. One signature is looked at.
    ///
    /// Throws `unknownIssuer`, `wrongRole`, `issuerExpired` (of issuer and certificate) or `notSigned`.
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
