import Secrets

/// The content of an entry of the revocation set.
public struct RevocationFacts: Sendable, Equatable {
    /// The offset of the expiry in an entry. `issuerOffset` is that of the issuer's key id.
    static let expiryOffset = 34
    static let issuerOffset = 50

    public let subject: RevokedSubject
    /// From this second on, the entry may be forgotten, because the revoked item has expired as well.
    public let expiry: UInt64
    public let generation: SiteOrdinal

    /// Throws `invalidField` for a key that does not have 32 bytes, or an expiry that is not a time.
    public init(subject: RevokedSubject, expiry: UInt64, generation: SiteOrdinal) throws(SiteError) {
        guard subject.bytes.count == RevokedSubject.byteCount, SiteSeconds.isValid(expiry) else { throw .invalidField }
        self.subject = subject
        self.expiry = expiry
        self.generation = generation
    }

    /// Returns whether the entry revokes that grant, or the grant's phone.
    public func covers(_ grant: GrantFacts) -> Bool {
        switch subject {
        case .phone(let key): return key == grant.phoneKey
        case .user(let user, let number):
            return user == grant.userID
                && (grant.generation < generation || grant.generation == generation && grant.number <= number)
        default: return false
        }
    }
}

/// An entry of the revocation set that was verified or signed by this program. An entry from outside is a
/// `ClaimedRevocation`. Entries contain no names.
public struct Revocation: Sendable, Equatable {
    /// Layout version (1) ‖ kind (1) ‖ subject (32) ‖ expiry (8) ‖ generation (8) ‖ issuer's key id (8) ‖ signature
    /// (64).
    public static let byteCount = 122

    public let facts: RevocationFacts
    public let issuer: IssuerKeyID
    /// The encoded entry.
    public let bytes: [UInt8]

    init(verified claimed: ClaimedRevocation) {
        facts = claimed.facts
        issuer = claimed.issuer
        bytes = claimed.bytes
    }

    /// Reads back `bytes` without checking the signature. Use this only for data that this program verified and stored
    /// where no other program writes.
    public init(kept bytes: [UInt8]) throws(SiteError) {
        self.init(verified: try ClaimedRevocation(parsing: bytes))
    }

    /// The bytes before the signature. Two entries are the same if these bytes are equal.
    var content: [UInt8] { SiteSignature.content(bytes) }

    /// Signs an entry with the key of an issuer of role `revocations`.
    public static func sign(
        _ facts: RevocationFacts, site: SiteID, issuer: borrowing Ed25519KeyPair
    ) throws(SiteError) -> Revocation {
        var content = [ClaimedRevocation.version] + facts.subject.bytes
        content.append(bigEndian: facts.expiry)
        content.append(bigEndian: facts.generation.value)
        content.append(bigEndian: IssuerKeyID(of: issuer.publicKey).value)
        let bytes = SiteSignature.sign(content, SiteSignature.revocation, site: site, by: issuer)
        return Revocation(verified: try ClaimedRevocation(parsing: bytes))
    }
}

/// A well-formed entry from outside. Its signature is not verified yet.
public struct ClaimedRevocation: Sendable, Equatable {
    static let version: UInt8 = 1

    public let facts: RevocationFacts
    public let issuer: IssuerKeyID
    public let bytes: [UInt8]

    /// Reads the 122 bytes of an entry.
    public init(parsing bytes: [UInt8]) throws(SiteError) {
        guard let version = bytes.first else { throw .wrongLength }
        guard version == Self.version else { throw .unknownVersion }
        guard bytes.count == Revocation.byteCount else { throw .wrongLength }
        var fields = FieldReader(bytes)
        _ = try fields.byte()
        let subject = try RevokedSubject(reading: &fields)
        let expiry = try fields.number()
        facts = try RevocationFacts(subject: subject, expiry: expiry, generation: try SiteOrdinal(try fields.number()))
        issuer = IssuerKeyID(try fields.number())
        self.bytes = bytes
    }

    /// Returns the entry if it is of the pinned generation and a listed issuer of revocations signed it. The issuer may
    /// have expired: its earlier signatures stay valid, and an entry does not say when it was signed.
    public func verify(_ pin: SitePin, tally: inout SignatureTally) throws(SiteError) -> Revocation {
        guard facts.generation >= pin.facts.generation else { throw .olderGeneration }
        guard facts.generation == pin.facts.generation else { throw .needsDocument }
        let key = try pin.facts.issuer(issuer, .revocations).key
        guard SiteSignature.isSigned(bytes, SiteSignature.revocation, site: pin.site, by: key, tally: &tally) else {
            throw .notSigned
        }
        return Revocation(verified: self)
    }
}
