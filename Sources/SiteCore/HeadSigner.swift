import SiteLink
import SiteTrust

/// The entries of the pinned generation, and the newest head over them.
struct HeadSigner: Sendable {
    var log = EntryLog()
    private(set) var head: RevocationHead?
    private(set) var signedAt: Duration?
    /// All entries of the generation were read. No head may come before: boxes would let in whoever was taken back.
    var isComplete = false

    /// The newest head, if it counts all entries: whoever has heard more than it counts would find that it differs.
    var current: RevocationHead? { head?.facts.number == log.number ? head : nil }

    /// Whether a head is due: for a new entry or document at once, else once a minute. Cheap, as it is asked at each event.
    func isDue(_ pin: SitePin, now: Duration) -> Bool {
        let isNews = head?.facts.number != log.number || head?.facts.document != pin.facts.version
        return isNews || signedAt.map { now - $0 >= SiteLinkTimes.headInterval } ?? true
    }

    /// Signs a head. True: there is a new one.
    ///
    /// Its time is never below the one before, whatever the clock says, and above it where the number stays: boxes refuse a head
    /// that goes back, and one whose number and time they have.
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
