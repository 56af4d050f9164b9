import Secrets

/// What a site's root says about the key to which phones seal what only the site may read. No issuer can make one: whoever stole an
/// issuer of phones would else have passwords sealed to a key of his own (docs/decisions/044-site-held-credentials.md).
public struct SiteKeyStatement: Sendable, Equatable {
    /// Its version (1) ‖ number (8) ‖ key (32) ‖ signature (64).
    public static let byteCount = 105

    /// The root's number and a count that only rises: a phone takes no lower one than it has.
    public let number: SiteOrdinal
    /// X25519 public key, 32 bytes.
    public let key: [UInt8]
    /// The statement as it is handed over.
    public let bytes: [UInt8]

    /// As it goes to somebody who does not believe it yet.
    public let claimed: ClaimedSiteKeyStatement

    init(verified claimed: ClaimedSiteKeyStatement) {
        (number, key, bytes) = (claimed.number, claimed.key, claimed.bytes)
        self.claimed = claimed
    }

    /// Signs a statement for a key of 32 bytes, by the root whose number is `number.root`.
    public static func sign(
        key: [UInt8], number: SiteOrdinal, site: SiteID, root: borrowing Ed25519KeyPair
    ) throws(SiteError) -> SiteKeyStatement {
        var content = [ClaimedSiteKeyStatement.version]
        content.append(bigEndian: number.value)
        content += key
        let bytes = SiteSignature.sign(content, SiteSignature.siteKey, site: site, by: root)
        return SiteKeyStatement(verified: try ClaimedSiteKeyStatement(parsing: bytes))
    }
}

/// A statement as it came from outside: well-formed, its signature not looked at.
public struct ClaimedSiteKeyStatement: Sendable, Equatable {
    static let version: UInt8 = 1

    public let number: SiteOrdinal
    public let key: [UInt8]
    public let bytes: [UInt8]

    /// Reads the 105 bytes of a statement.
    public init(parsing bytes: [UInt8]) throws(SiteError) {
        guard let version = bytes.first else { throw .wrongLength }
        guard version == Self.version else { throw .unknownVersion }
        guard bytes.count == SiteKeyStatement.byteCount else { throw .wrongLength }
        var fields = FieldReader(bytes)
        _ = try fields.byte()
        number = try SiteOrdinal(try fields.number())
        key = try fields.take(X25519KeyPair.keyBytes)
        guard X25519KeyPair.isPublicKey(key) else { throw .invalidField }
        self.bytes = bytes
    }

    /// The statement, if it is of the pinned root. One signature is looked at. What an earlier root has said counts no more: a next
    /// root ends what a thief of the one before has signed.
    ///
    /// Throws `wrongRootNumber` or `notSigned`.
    public func verify(_ pin: SitePin, tally: inout SignatureTally) throws(SiteError) -> SiteKeyStatement {
        guard number.root == pin.facts.version.root else { throw .wrongRootNumber }
        let root = pin.facts.rootKey
        guard SiteSignature.isSigned(bytes, SiteSignature.siteKey, site: pin.site, by: root, tally: &tally) else {
            throw .notSigned
        }
        return SiteKeyStatement(verified: self)
    }
}
