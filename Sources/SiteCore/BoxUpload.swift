import SiteLink
import SiteTrust

/// What a box has more than the site, as far as it has said: verified. What is useless is left out, and what nobody of the site can
/// have signed is an error.
struct BoxUpload: Sendable {
    /// As many as a set fills, and one.
    static let messageLimit = RevocationSet.entryLimit / MessageToSite.entryLimit + 1

    /// As a set: what is said a thousand times is one entry, and one signature that is looked at.
    private(set) var entries = RevocationSet()
    /// The number of a head that the site signed and the box holds.
    private(set) var number: UInt64 = 0
    private var messages = 0

    /// A message of the upload.
    mutating func take(_ message: MessageToSite, _ pin: SitePin, _ heads: HeadSigner) throws(SiteError) {
        switch message {
        case .entries(let entries): try take(entries, pin, heads)
        case .head(let head): try take(head, pin)
        case .hello, .entriesEnd, .differs, .took, .leaving, .renew, .carry, .endCarry, .ask, .enrolSelf:
            break
        }
    }

    /// Throws what `ClaimedRevocation.verify` does, and `setFull` for more messages than an upload has.
    private mutating func take(_ more: [ClaimedRevocation], _ pin: SitePin, _ heads: HeadSigner) throws(SiteError) {
        messages += 1
        guard messages <= Self.messageLimit else { throw .setFull }
        var tally = SignatureTally()
        for claimed in more {
            guard claimed.facts.expiry > heads.head?.facts.time ?? 0, heads.log.set.entry(saying: claimed) == nil,
                entries.entry(saying: claimed) == nil
            else { continue }
            do throws(SiteError) {
                _ = try entries.insert(try claimed.verify(pin, tally: &tally))
            } catch .unknownIssuer, .olderGeneration {
                // Of an issuer that was dropped: no head counts them, and no new box could verify them.
            }
        }
    }

    /// Throws what `ClaimedRevocationHead.verify` does, and `invalidField` for a number above all that a site gives out.
    private mutating func take(_ head: ClaimedRevocationHead, _ pin: SitePin) throws(SiteError) {
        var tally = SignatureTally()
        do throws(SiteError) {
            let held = try head.verify(pin, after: nil, tally: &tally)
            guard held.facts.number < SiteLimits.number else { throw .invalidField }
            number = held.facts.number
        } catch .unknownIssuer, .olderGeneration, .issuerExpired {
            // A newer document came meanwhile: the head shows nothing any more.
        }
    }
}
