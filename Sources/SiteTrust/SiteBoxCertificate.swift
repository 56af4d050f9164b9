import Secrets

/// A site's statement about one of its boxes.
public struct BoxFacts: Sendable, Equatable {
    /// The digits of a box ID in a site. Each ID belongs to one box.
    public static let boxIDBytes = 6

    /// Six ASCII digits.
    public let boxID: [UInt8]
    /// The box's X25519 static public key, 32 bytes.
    public let boxKey: [UInt8]
    public let groups: SiteGroups
    /// The first second in which the certificate is no longer valid.
    public let expiry: UInt64

    /// Throws `invalidField` unless the ID has six digits, the key is a public key, and the expiry is a time.
    public init(boxID: [UInt8], boxKey: [UInt8], groups: SiteGroups, expiry: UInt64) throws(SiteError) {
        guard boxID.count == Self.boxIDBytes, boxID.allSatisfy({ (0x30...0x39).contains($0) }),
            X25519KeyPair.isPublicKey(boxKey), SiteSeconds.isValid(expiry)
        else { throw .invalidField }
        self.boxID = boxID
        self.boxKey = boxKey
        self.groups = groups
        self.expiry = expiry
    }
}

/// A site's box certificate that was verified or issued by this program. A certificate from outside is a
/// `ClaimedSiteBoxCertificate`. `BoxCertificateCheck` decides whether to trust the box.
public struct SiteBoxCertificate: Sendable, Equatable {
    /// Layout version (1) ‖ site tag (6) ‖ issuer's key id (8) ‖ box ID (6) ‖ box key (32) ‖ groups (16, padded with
    /// zeros) ‖ expiry (8) ‖ signature (64).
    public static let byteCount = 141
    /// The longest life of a certificate, in hours. It equals the longest offline allowance.
    public static let hoursLimit = 504

    public let facts: BoxFacts
    /// The encoded certificate.
    public let bytes: [UInt8]
    /// The public key of the issuer that signed the certificate, 32 bytes.
    public let issuerKey: [UInt8]

    init(verified claimed: ClaimedSiteBoxCertificate, issuerKey: [UInt8]) {
        facts = claimed.facts
        bytes = claimed.bytes
        self.issuerKey = issuerKey
    }

    /// Reads back `bytes` and the issuer's key (32 bytes) without checking the signature. Use this only for data that
    /// this program verified and stored where no other program writes.
    public init(kept bytes: [UInt8], issuerKey: [UInt8]) throws(SiteError) {
        guard issuerKey.count == Ed25519.keyBytes else { throw .wrongLength }
        self.init(verified: try ClaimedSiteBoxCertificate(parsing: bytes), issuerKey: issuerKey)
    }

    /// Signs a certificate with the key of an issuer of role `boxes`.
    public static func issue(
        _ facts: BoxFacts, site: SiteID, issuer: borrowing Ed25519KeyPair
    ) throws(SiteError) -> SiteBoxCertificate {
        var content = [ClaimedSiteBoxCertificate.version] + site.tag
        content.append(bigEndian: IssuerKeyID(of: issuer.publicKey).value)
        content += facts.boxID + facts.boxKey + facts.groups.field
        content.append(bigEndian: facts.expiry)
        let bytes = SiteSignature.sign(content, SiteSignature.boxCertificate, site: site, by: issuer)
        let claimed = try ClaimedSiteBoxCertificate(parsing: bytes)
        return SiteBoxCertificate(verified: claimed, issuerKey: issuer.publicKey)
    }
}

/// A well-formed box certificate from outside. Its signature is not verified yet.
public struct ClaimedSiteBoxCertificate: Sendable, Equatable {
    static let version: UInt8 = 1

    /// The tag of the site that the box claims. The tag selects one of several pins before any verification.
    public let siteTag: [UInt8]
    public let issuer: IssuerKeyID
    public let facts: BoxFacts
    public let bytes: [UInt8]

    /// Reads the 141 bytes of a certificate.
    public init(parsing bytes: [UInt8]) throws(SiteError) {
        guard let version = bytes.first else { throw .wrongLength }
        guard version == Self.version else { throw .unknownVersion }
        guard bytes.count == SiteBoxCertificate.byteCount else { throw .wrongLength }
        var fields = FieldReader(bytes)
        _ = try fields.byte()
        siteTag = try fields.take(SiteID.tagBytes)
        issuer = IssuerKeyID(try fields.number())
        let boxID = try fields.take(BoxFacts.boxIDBytes)
        let boxKey = try fields.take(X25519KeyPair.keyBytes)
        let groups = try SiteGroups(field: try fields.take(SiteGroups.fieldBytes))
        facts = try BoxFacts(boxID: boxID, boxKey: boxKey, groups: groups, expiry: try fields.number())
        self.bytes = bytes
    }

    /// Returns the certificate if it is for this box's own key (32 bytes) and a listed issuer of boxes signed it.
    /// Neither certificate nor issuer may have expired at `time`, if known. Checks one signature. A phone uses
    /// `BoxCertificateCheck`.
    ///
    /// Throws `otherSite`, `otherKey`, `unknownIssuer`, `wrongRole`, `issuerExpired` (issuer or certificate) or
    /// `notSigned`.
    public func verify(
        _ pin: SitePin, boxKey: [UInt8], at time: UInt64?, tally: inout SignatureTally
    ) throws(SiteError) -> SiteBoxCertificate {
        guard siteTag == pin.site.tag else { throw .otherSite }
        guard facts.boxKey == boxKey else { throw .otherKey }
        let issuer = try pin.facts.issuer(issuer, .boxes)
        if let time, time >= issuer.expiry || time >= facts.expiry { throw .issuerExpired }
        guard SiteSignature.isSigned(bytes, SiteSignature.boxCertificate, site: pin.site, by: issuer.key, tally: &tally)
        else { throw .notSigned }
        return SiteBoxCertificate(verified: self, issuerKey: issuer.key)
    }
}
