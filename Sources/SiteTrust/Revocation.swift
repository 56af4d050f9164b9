import Secrets

/// What an entry of the revocation set says.
public struct RevocationFacts: Sendable, Equatable {
    /// Where expiry and issuer's key id stand in an entry.
    static let expiryOffset = 34
    static let issuerOffset = 50

    public let subject: RevokedSubject
    /// The entry may be forgotten from this second on: whatever it takes back is no good any more by itself.
    public let expiry: UInt64
    public let generation: SiteOrdinal

    /// Throws `invalidField` for a key that has not 32 bytes, or an expiry that is no time.
    public init(subject: RevokedSubject, expiry: UInt64, generation: SiteOrdinal) throws(SiteError) {
        guard subject.bytes.count == RevokedSubject.byteCount, SiteSeconds.isValid(expiry) else { throw .invalidField }
        self.subject = subject
        self.expiry = expiry
        self.generation = generation
    }

    /// Whether it takes back that grant, or the phone that the grant is for.
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

/// An entry of the revocation set whose signature was verified, or which was signed here. What came from outside is a
/// `ClaimedRevocation`. It has no names in it.
public struct Revocation: Sendable, Equatable {
    /// Its version (1) ‖ kind (1) ‖ subject (32) ‖ expiry (8) ‖ generation (8) ‖ issuer's key id (8) ‖ signature (64).
    public static let byteCount = 122

    public let facts: RevocationFacts
    public let issuer: IssuerKeyID
    /// The entry as it is sent.
    public let bytes: [UInt8]

    init(verified claimed: ClaimedRevocation) {
        facts = claimed.facts
        issuer = claimed.issuer
        bytes = claimed.bytes
    }

    /// Reads back `bytes`. Only for what this program verified itself and kept where nobody else writes: the signature is not
    /// looked at.
    public init(kept bytes: [UInt8]) throws(SiteError) {
        self.init(verified: try ClaimedRevocation(parsing: bytes))
    }

    /// All but the signature: what the entry says, and what tells two entries apart.
    var content: [UInt8] { SiteSignature.content(bytes) }

    /// Signs an entry, by an issuer of role `revocations`.
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

/// An entry of the revocation set as it came from outside: well-formed, its signature not looked at.
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

    /// The entry, if it is of the pinned generation and an issuer that the pinned document lists signed it.
    ///
    /// The issuer's time may be over: what it signed until then still holds, and an entry does not say when it was signed.
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
