import SiteLink
import SiteTrust

/// Keeps the entries of the pinned generation, and signs the newest status over them.
struct HeadSigner: Sendable {
    var log = EntryLog()
    private(set) var head: RevocationHead?
    private(set) var signedAt: Duration?
    /// True once all entries of the generation were read. Boxes with an earlier status would admit revoked phones.
    var isComplete = false

    /// The newest status, or nil if it does not count all entries: a box with more entries would report a difference.
    var current: RevocationHead? { head?.facts.number == log.number ? head : nil }

    /// Returns whether a status is due: at once for a new entry or document, else once a minute. Called at each event.
    func isDue(_ pin: SitePin, now: Duration) -> Bool {
        let isNews = head?.facts.number != log.number || head?.facts.document != pin.facts.version
        return isNews || signedAt.map { now - $0 >= SiteLinkTimes.headInterval } ?? true
    }

    /// Signs a status. Returns true if there is a new one.
    ///
    /// The time of a status never goes back, even if the clock does, and rises if the number stays the same. Boxes
    /// refuse a status that goes back, and one whose number and time they have.
    mutating func sign(by issuing: SiteIssuing, _ pin: SitePin, at seconds: UInt64, now: Duration) -> Bool {
        let time = max(seconds, head.map { $0.facts.time + ($0.facts.number == log.number ? 1 : 0) } ?? 0)
        log.prune(at: time)
        guard
            let facts = try? HeadFacts(
                generation: pin.facts.generation, number: log.number, document: pin.facts.version,
                setHash: log.set.hash(at: time, document: pin.facts), time: time),
            let signed = try? issuing.head(facts)
        else { return false }
        head = signed
        signedAt = now
        return true
    }
}
