import SiteLink
import SiteTrust

/// The verified entries that a box has sent and the site lacks. Useless ones are skipped. Entries that the site cannot
/// have signed are errors.
struct BoxUpload: Sendable {
    /// The messages that a full set needs, and one more.
    static let messageLimit = RevocationSet.entryLimit / MessageToSite.entryLimit + 1

    /// A set, so that an entry sent a thousand times is stored and verified once.
    private(set) var entries = RevocationSet()
    /// The number of a status that the site signed and the box holds.
    private(set) var number: UInt64 = 0
    private var messages = 0

    mutating func take(_ message: MessageToSite, _ pin: SitePin, _ heads: HeadSigner) throws(SiteError) {
        switch message {
        case .entries(let entries): try take(entries, pin, heads)
        case .head(let head): try take(head, pin)
        case .hello, .entriesEnd, .differs, .took, .leaving, .renew, .carry, .endCarry, .ask, .enrolSelf:
            break
        }
    }

    /// Throws the errors of `ClaimedRevocation.verify`, and `setFull` if there are more messages than an upload has.
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
                // The issuer was dropped: no signed status counts its entries, and no new box could verify them.
            }
        }
    }

    /// Throws the errors of `ClaimedRevocationHead.verify`, and `invalidField` for a number above the site's limit.
    private mutating func take(_ head: ClaimedRevocationHead, _ pin: SitePin) throws(SiteError) {
        var tally = SignatureTally()
        do throws(SiteError) {
            let held = try head.verify(pin, after: nil, tally: &tally)
            guard held.facts.number < SiteLimits.number else { throw .invalidField }
            number = held.facts.number
        } catch .unknownIssuer, .olderGeneration, .issuerExpired {
            // A newer document has arrived meanwhile, so this status proves nothing.
        }
    }
}
