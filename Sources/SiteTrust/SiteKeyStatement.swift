import Secrets

/// The root's signed statement of the site key, to which phones seal data for the site alone. An issuer cannot sign a
/// statement. Otherwise the thief of an issuer's key could have passwords sealed to his own key
/// (docs/decisions/044-site-held-credentials.md).
public struct SiteKeyStatement: Sendable, Equatable {
    /// Layout version (1) ‖ number (8) ‖ key (32) ‖ signature (64).
    public static let byteCount = 105

    /// The root's number and a rising count. A phone accepts no lower number than it has.
    public let number: SiteOrdinal
    /// X25519 public key, 32 bytes.
    public let key: [UInt8]
    /// The encoded statement.
    public let bytes: [UInt8]

    /// The form for a recipient that has not verified the statement yet.
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

/// A well-formed statement from outside. Its signature is not verified yet.
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

    /// Returns the statement if the pinned root signed it. Checks one signature. Statements of earlier roots are not
    /// valid, so the next root cancels any statement by a thief of the previous root's key.
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
