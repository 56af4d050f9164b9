import Secrets

/// The content of a signed status: which set of entries the site has at the time of signing.
public final class HeadFacts: Sendable, Equatable {
    public let generation: SiteOrdinal
    /// Rises with every entry, within a generation.
    public let number: UInt64
    /// The version of the site document at that time. A box from which the document is withheld cannot count as fresh.
    public let document: SiteOrdinal
    /// The result of `RevocationSet.hash`, 32 bytes.
    public let setHash: [UInt8]
    /// The time of signing.
    public let time: UInt64

    /// Throws `invalidField` for a hash that does not have 32 bytes, or for an invalid time.
    public init(
        generation: SiteOrdinal, number: UInt64, document: SiteOrdinal, setHash: [UInt8], time: UInt64
    ) throws(SiteError) {
        guard setHash.count == SHA256.digestBytes, SiteSeconds.isValid(time) else { throw .invalidField }
        self.generation = generation
        self.number = number
        self.document = document
        self.setHash = setHash
        self.time = time
    }

    public static func == (left: HeadFacts, right: HeadFacts) -> Bool {
        left === right
            || left.generation == right.generation
                && left.number == right.number
                && left.document == right.document
                && left.setHash == right.setHash
                && left.time == right.time
    }
}

/// A site's signed status that was verified or signed by this program. From outside, it is a `ClaimedRevocationHead`.
public struct RevocationHead: Sendable, Equatable {
    /// Layout version (1) ‖ issuer's key id (8) ‖ generation (8) ‖ number (8) ‖ version of the document (8) ‖ hash of
    /// the set (32) ‖ time (8) ‖ signature (64).
    public static let byteCount = 137

    public let facts: HeadFacts
    /// The encoded status.
    public let bytes: [UInt8]

    init(verified claimed: ClaimedRevocationHead) {
        facts = claimed.facts
        bytes = claimed.bytes
    }

    /// Reads back `bytes` without checking the signature. Use this only for data that this program verified and stored
    /// where no other program writes.
    public init(kept bytes: [UInt8]) throws(SiteError) {
        self.init(verified: try ClaimedRevocationHead(parsing: bytes))
    }

    /// Signs a status with the key of an issuer of role `revocations`.
    public static func sign(
        _ facts: HeadFacts, site: SiteID, issuer: borrowing Ed25519KeyPair
    ) throws(SiteError) -> RevocationHead {
        var content = [ClaimedRevocationHead.version]
        content.append(bigEndian: IssuerKeyID(of: issuer.publicKey).value)
        content.append(bigEndian: facts.generation.value)
        content.append(bigEndian: facts.number)
        content.append(bigEndian: facts.document.value)
        content += facts.setHash
        content.append(bigEndian: facts.time)
        let bytes = SiteSignature.sign(content, SiteSignature.head, site: site, by: issuer)
        return RevocationHead(verified: try ClaimedRevocationHead(parsing: bytes))
    }
}

/// A well-formed signed status from outside. Its signature is not verified yet.
public struct ClaimedRevocationHead: Sendable, Equatable {
    static let version: UInt8 = 1

    public let issuer: IssuerKeyID
    public let facts: HeadFacts
    public let bytes: [UInt8]

    /// Reads the 137 bytes of a signed status.
    public init(parsing bytes: [UInt8]) throws(SiteError) {
        guard let version = bytes.first else { throw .wrongLength }
        guard version == Self.version else { throw .unknownVersion }
        guard bytes.count == RevocationHead.byteCount else { throw .wrongLength }
        var fields = FieldReader(bytes)
        _ = try fields.byte()
        issuer = IssuerKeyID(try fields.number())
        let generation = try SiteOrdinal(try fields.number())
        let number = try fields.number()
        let document = try SiteOrdinal(try fields.number())
        let setHash = try fields.take(SHA256.digestBytes)
        facts = try HeadFacts(
            generation: generation, number: number, document: document, setHash: setHash, time: try fields.number())
        self.bytes = bytes
    }

    /// Returns the signed status if it may follow `last` under the pinned document: number and time are not lower, and
    /// one is higher. Several entries may come within a second, and several statuses without a new entry. `last` is nil
    /// before the generation's first status.
    public func verify(
        _ pin: SitePin, after last: RevocationHead?, tally: inout SignatureTally
    ) throws(SiteError) -> RevocationHead {
        guard facts.generation >= pin.facts.generation else { throw .olderGeneration }
        guard facts.generation == pin.facts.generation, facts.document <= pin.facts.version else {
            throw .needsDocument
        }
        if let last, last.facts.generation == facts.generation {
            guard facts.number >= last.facts.number else { throw .olderNumber }
            guard facts.time >= last.facts.time, facts.number > last.facts.number || facts.time > last.facts.time else {
                throw .olderTime
            }
        }
        let issuer = try pin.facts.issuer(issuer, .revocations)
        guard facts.time < issuer.expiry else { throw .issuerExpired }
        guard SiteSignature.isSigned(bytes, SiteSignature.head, site: pin.site, by: issuer.key, tally: &tally) else {
            throw .notSigned
        }
        return RevocationHead(verified: self)
    }
}
