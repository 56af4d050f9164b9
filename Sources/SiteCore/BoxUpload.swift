import SiteLink
import SiteTrust

/// The verified entries that a box has sent and the site lacks. Expired entries and entries of dropped issuers are
/// skipped. An entry that the site cannot have signed is an error.
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

    /// Throws the errors of `ClaimedRevocation.verify`, and `setFull` for more messages than `messageLimit`.
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
                // No signed status counts an entry of a dropped issuer, and no new box could verify it.
            }
        }
    }

    /// Throws the errors of `ClaimedRevocationHead.verify`, and `invalidField` for a number at or above the limit.
    private mutating func take(_ head: ClaimedRevocationHead, _ pin: SitePin) throws(SiteError) {
        var tally = SignatureTally()
        do throws(SiteError) {
            let held = try head.verify(pin, after: nil, tally: &tally)
            guard held.facts.number < SiteLimits.number else { throw .invalidField }
            number = held.facts.number
        } catch .unknownIssuer, .olderGeneration, .issuerExpired {
            // Ignores a status of an issuer or a generation that is no longer valid, because it proves nothing.
        }
    }
}
