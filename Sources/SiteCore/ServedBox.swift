import SiteLink
import SiteTrust

/// A server's record of a linked box: what was sent to it, its upload, and the counts of its requests.
struct ServedBox: Sendable {
    /// The number and the time of a signed status.
    struct Place: Sendable {
        var number: UInt64 = 0
        var time: UInt64 = 0

        /// Returns whether a box that holds a status with this number and time accepts a status with `facts`.
        func allows(_ facts: HeadFacts) -> Bool {
            facts.number >= number && facts.time >= time && (facts.number > number || facts.time > time)
        }
    }

    /// Events on the link, counted so that a box cannot make the same request without end.
    struct Counts: Sendable {
        var certificates = 0
        var heads = 0
        /// Statuses that did not match the box's entries, as the box reported.
        var differences = 0
        /// Uploads that brought nothing new.
        var vainUploads = 0
        var leavings = 0
        /// Grants that the box wanted renewed.
        var renewals = 0
        /// Carried requests about credentials that are under way.
        var held = 0
        /// Carried requests about credentials that were refused.
        var heldRefusals = 0
        /// When the box was last recorded as seen, or nil if that has not happened on this link.
        var seenAt: Duration?
    }

    let id: Int64
    let key: [UInt8]
    let address: String
    let hello: SiteHello
    let since: Duration
    /// All entries up to this place of `EntryLog` were sent.
    var place: UInt64
    /// The status that the box holds. Only a later one is sent, because the box would refuse any other. After the box
    /// moves here from another server, a later status can take a minute.
    var floor: Place
    var saidHead: RevocationHead?
    /// The number of the signed status that the box says it has stored durably.
    var took: UInt64 = 0
    /// True while the server waits for `drained` before it sends more.
    var isFull = false
    /// The upload of the box's entries, if the box was asked for them.
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

    /// Returns the entries that the box lacks, as many as its link takes at once.
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

    /// Returns the status to send, or nil before all its entries were sent, and if the box has it or would refuse it.
    mutating func takeHead(_ head: RevocationHead?) -> MessageFromSite? {
        guard !isFull, let head, head != saidHead, floor.allows(head.facts),
            let claimed = try? ClaimedRevocationHead(parsing: head.bytes)
        else { return nil }
        saidHead = head
        counts.heads += 1
        return .head(claimed)
    }

    /// Returns whether the box may be asked for all its entries. If its document is newer than the site's, that
    /// document must be published again first, because the box's entries were signed under it.
    func mayBeAsked(under site: SiteDocumentFacts) -> Bool { hello.document <= site.version }

    /// Takes the report that a status did not match the box's entries. All entries are then sent again.
    mutating func differs() {
        counts.differences += 1
        place = 0
    }

    /// Ends an upload, which proved the number `shown`. A higher number that the box claims no longer counts.
    mutating func endUpload(shown: UInt64, isVain: Bool) {
        upload = nil
        floor.number = min(floor.number, shown)
        guard isVain else { return }
        counts.vainUploads += 1
        saidHead = nil
    }

    /// Starts over, because the site has another generation than the box. Nothing that the box has stored counts.
    mutating func beginAnew() {
        (place, floor, saidHead, took) = (0, Place(), nil, 0)
    }
}
