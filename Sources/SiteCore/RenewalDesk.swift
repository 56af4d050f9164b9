import SiteLink
import SiteTrust

/// Grants that boxes want anew: which questions are asked of the database, and how many were not answered.
struct RenewalDesk: Sendable {
    private var underWay = 0
    private var refusals: UInt64 = 0
    private var lines: [SiteLogLine] = []

    /// What the database is asked; nil: nothing, as the grant says enough, or too many questions are under way.
    mutating func begin(
        _ claimed: ClaimedGrant, at box: SiteBox, _ pin: SitePin, _ revocations: RevocationSet, time: UInt64
    ) -> RenewalWish? {
        do throws(SiteError) {
            var tally = SignatureTally()
            let shown = try claimed.verify(pin, tally: &tally).facts
            // An entry counts for more than the rows, which a backup may have brought back from before.
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

    /// What is done with the database's answer. `isServed`: the link still stands.
    mutating func answered(
        _ id: LinkID, isServed: Bool, _ wish: RenewalWish, _ answer: RenewalAnswer, _ revocations: RevocationSet
    ) -> [SiteEffect] {
        let grant = end(wish, answer, revocations)
        let said = isServed ? grant.map { [SiteEffect.say(id, .grant($0))] } ?? [] : []
        return said + takeLines().map { .log($0) }
    }

    /// The grant that the box is told. What came since it was committed may take it back.
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

    /// One more was not answered. Every time that this doubles their number it is worth a line: a hostile box fills no log.
    private mutating func refuse(_ why: String, at box: String) {
        refusals += 1
        guard refusals.nonzeroBitCount == 1 else { return }
        let text = "refused a new grant for a phone at box \(box): \(why); \(refusals) such requests refused so far"
        lines.append(SiteLogLine(.warning, text))
    }

    /// What is to be logged, once.
    mutating func takeLines() -> [SiteLogLine] {
        defer { lines = [] }
        return lines
    }
}
