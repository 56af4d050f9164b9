import SiteLink
import SiteTrust

/// Handles requests to renew grants. It decides which ones reach the database, and counts refusals.
struct RenewalDesk: Sendable {
    private var underWay = 0
    private var refusals: UInt64 = 0
    private var lines: [SiteLogLine] = []

    /// Returns the request for the database. Returns nil if the grant alone shows that it is refused, or if too many
    /// requests are under way.
    mutating func begin(
        _ claimed: ClaimedGrant, at box: SiteBox, _ pin: SitePin, _ revocations: RevocationSet, time: UInt64
    ) -> RenewalWish? {
        do throws(SiteError) {
            var tally = SignatureTally()
            let shown = try claimed.verify(pin, tally: &tally).facts
            // A signed revocation outweighs the database's rows, which may come from an older backup.
            guard revocations.entry(covering: shown) == nil else {
                refuse("its grant is revoked", at: box.name)
                return nil
            }
            guard shown.generation <= pin.facts.generation, underWay < SiteLimits.renewalsAtOnce else { return nil }
            underWay += 1
            return RenewalWish(
                shown: shown, boxID: box.id, box: box.name, boxGroups: box.groups, generation: pin.facts.generation,
                time: time)
        } catch {
            refuse("its grant \(error)", at: box.name)
            return nil
        }
    }

    /// Returns the effects of the database's answer. `isServed` says whether the link still serves.
    mutating func answered(
        _ id: LinkID, isServed: Bool, _ wish: RenewalWish, _ answer: RenewalAnswer, _ revocations: RevocationSet
    ) -> [SiteEffect] {
        let grant = end(wish, answer, revocations)
        let said = isServed ? grant.map { [SiteEffect.say(id, .grant($0))] } ?? [] : []
        return said + takeLines().map { .log($0) }
    }

    /// Returns the grant for the box, or nil if it was refused or an entry that came after the commit revokes it.
    private mutating func end(_ wish: RenewalWish, _ answer: RenewalAnswer, _ revocations: RevocationSet)
        -> ClaimedGrant?
    {
        underWay -= 1
        switch answer {
        case .refused(let why):
            refuse(why, at: wish.box)
            return nil
        case .issued(let grant): return revocations.entry(covering: grant.facts) == nil ? grant : nil
        }
    }

    /// Counts a refusal. A line is logged each time that the count has doubled, so a hostile box cannot fill the log.
    private mutating func refuse(_ why: String, at box: String) {
        refusals += 1
        guard refusals.nonzeroBitCount == 1 else { return }
        let text = "refused a new grant for a phone at box \(box): \(why); \(refusals) such requests refused so far"
        lines.append(SiteLogLine(.warning, text))
    }

    /// Returns the lines to log, once.
    mutating func takeLines() -> [SiteLogLine] {
        defer { lines = [] }
        return lines
    }
}
