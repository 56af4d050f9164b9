import Secrets
import SiteTrust

/// The signed objects of a site, as any sender may show them. The first byte chooses how to read the others.
///
/// The fuzzer's site has signed no object, so an object that passes is a forgery.
enum SiteTrustFuzz {
    static let entry: FuzzEntry = { data, count in
        let bytes = input(data, count)
        guard let kind = bytes.first else { return 0 }
        let rest = [UInt8](bytes.dropFirst())
        switch kind {
        case 0: document(rest)
        case 1: grant(rest)
        case 2: certificate(rest)
        case 3: revocation(rest)
        default: head(rest)
        }
        return 0
    }

    private static let pin: SitePin = {
        do {
            let root = try Ed25519KeyPair(seed: FuzzKeys.secret(7))
            guard let first = SiteOrdinal(root: 1, count: 1) else { preconditionFailure("numbers from 1 on") }
            let issuers = (UInt8(1)...4).compactMap { role in
                IssuerRole(rawValue: role).flatMap {
                    SiteIssuer(role: $0, key: [UInt8](repeating: role, count: 32), expiry: 1 << 39)
                }
            }
            let facts = try SiteDocumentFacts(
                site: SiteID(firstRoot: root.publicKey), version: first, generation: first, rootKey: root.publicKey,
                nextRootHash: [UInt8](repeating: 0, count: 32), issuers: issuers)
            let document = try SiteDocument.sign(facts, root: root)
            var tally = SignatureTally()
            return try SitePin(kept: document.bytes, tally: &tally)
        } catch {
            preconditionFailure("the fixed keys make a site: \(error)")
        }
    }()

    private static func document(_ bytes: [UInt8]) {
        guard let claimed = try? ClaimedSiteDocument(parsing: bytes) else { return }
        promise(claimed.facts.issuers.count <= SiteDocumentFacts.issuerLimit, "a document with too many issuers")
        var (pin, tally) = (pin, SignatureTally())
        let change = try? pin.take(claimed, tally: &tally)
        promise(change == nil || bytes == Self.pin.bytes, "a forged document was taken")
        promise(tally.count <= 1, "more than one signature was looked at")
    }

    private static func grant(_ bytes: [UInt8]) {
        guard let claimed = try? ClaimedGrant(parsing: bytes) else { return }
        let again = try? Grant(kept: [UInt8](repeating: 0, count: 32) + bytes)
        promise(again?.bytes == bytes && again?.facts == claimed.facts, "a grant does not come out as it went in")
        promise(
            claimed.facts.user.count <= GrantFacts.userBytesLimit && claimed.hash.count == 16, "a grant out of bounds")
    }

    private static func certificate(_ bytes: [UInt8]) {
        guard let claimed = try? ClaimedSiteBoxCertificate(parsing: bytes) else { return }
        var tally = SignatureTally()
        let admitted = try? BoxCertificateCheck(site: PhoneSite(pin: pin), groups: claimed.facts.groups)
            .admit(claimed, boxKey: claimed.facts.boxKey, boxID: nil, clock: 0, tally: &tally)
        promise(admitted == nil && tally.count <= 1, "a forged box was believed")
    }

    private static func revocation(_ bytes: [UInt8]) {
        guard let claimed = try? ClaimedRevocation(parsing: bytes) else { return }
        var tally = SignatureTally()
        promise((try? claimed.verify(pin, tally: &tally)) == nil, "a forged entry was believed")
        guard let entry = try? Revocation(kept: bytes) else { return }
        var set = RevocationSet(limit: 1)
        promise((try? set.insert(entry)) == true && set.entries == [entry], "an entry does not come out as it went in")
        promise((try? set.insert(entry)) == false, "an entry is in a set twice")
    }

    private static func head(_ bytes: [UInt8]) {
        guard let claimed = try? ClaimedRevocationHead(parsing: bytes) else { return }
        var tally = SignatureTally()
        promise((try? claimed.verify(pin, after: nil, tally: &tally)) == nil, "a forged head was believed")
    }
}
