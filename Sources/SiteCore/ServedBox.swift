import SiteLink
import SiteTrust

/// What a server knows of a box that is linked: how far it was told, and what it was asked.
struct ServedBox: Sendable {
    /// The number and the time of a head.
    struct Place: Sendable {
        var number: UInt64 = 0
        var time: UInt64 = 0

        /// Whether a box that holds a head of this place takes one with those facts.
        func allows(_ facts: HeadFacts) -> Bool {
            facts.number >= number && facts.time >= time && (facts.number > number || facts.time > time)
        }
    }

    /// What has happened on the link, so that a box cannot ask for the same without end.
    struct Counts: Sendable {
        var certificates = 0
        var heads = 0
        /// The heads that did not fit, as the box says.
        var differences = 0
        /// Uploads that brought nothing.
        var vainUploads = 0
        var leavings = 0
        /// Grants that it wanted anew.
        var renewals = 0
        /// Requests about credentials that it carries, and that are under way.
        var held = 0
        /// Those that were worth nothing.
        var heldRefusals = 0
        /// When the box was written down as seen; nil: not on this link.
        var seenAt: Duration?
    }

    let id: Int64
    let key: [UInt8]
    let address: String
    let hello: SiteHello
    let since: Duration
    /// All entries up to this number were said.
    var place: UInt64
    /// The head that the box holds: one that does not follow it is not said, as the box would refuse it. After a move from another
    /// server that may be for a minute.
    var floor: Place
    var saidHead: RevocationHead?
    /// The number that the box says it has durably.
    var took: UInt64 = 0
    /// `drained` is awaited: nothing more is said before.
    var isFull = false
    /// It was asked for all its entries.
    var upload: BoxUpload?
    var counts = Counts()

    init(_ box: SiteBox, key: [UInt8], address: String, hello: SiteHello, since: Duration) {
        id = box.id
        self.key = key
        self.address = address
        self.hello = hello
        self.since = since
        place = hello.number
        floor = Place(number: hello.number, time: hello.time)
        took = hello.number
    }

    /// What the box lacks, as far as its link takes it at once.
    mutating func takeEntries(_ log: EntryLog) -> [MessageFromSite] {
        var messages: [MessageFromSite] = []
        while let batch = log.batch(after: place, limit: MessageToSite.entryLimit) {
            guard messages.count < SiteLimits.batchesAtOnce else {
                isFull = true
                break
            }
            messages.append(.entries(batch.entries))
            place = batch.place
        }
        return messages
    }

    /// The head, once everything that it counts was said; nil where the box has it, or would refuse it.
    mutating func takeHead(_ head: RevocationHead?) -> MessageFromSite? {
        guard !isFull, let head, head != saidHead, floor.allows(head.facts),
            let claimed = try? ClaimedRevocationHead(parsing: head.bytes)
        else { return nil }
        saidHead = head
        counts.heads += 1
        return .head(claimed)
    }

    /// Whether it may be asked for all its entries. Where its document is newer than the site's, that one has to be published again first:
    /// what the box has was signed under it.
    func mayBeAsked(under site: SiteDocumentFacts) -> Bool { hello.document <= site.version }

    /// It says that a head did not fit: it hears all entries anew.
    mutating func differs() {
        counts.differences += 1
        place = 0
    }

    /// It has said all its entries, and showed that the site was at the number `shown`.
    mutating func endUpload(shown: UInt64, isVain: Bool) {
        upload = nil
        floor.number = min(floor.number, shown)
        guard isVain else { return }
        counts.vainUploads += 1
        saidHead = nil
    }

    /// The site has another generation than the box: what the box has counts for nothing.
    mutating func beginAnew() {
        (place, floor, saidHead, took) = (0, Place(), nil, 0)
    }
}
