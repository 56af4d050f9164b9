/// All that a box believes of its site, and how that changes: documents, entries and heads in, nothing out. It waits for
/// nothing and keeps nothing by itself; whoever performs writes down what has changed before anybody relies on it.
public struct BoxSite: Sendable, Equatable {
    /// What a head was good for.
    public enum HeadEffect: Sendable, Equatable {
        /// It is the one that is held.
        case none
        /// It is newer, but was held up on its way: the allowance goes on running.
        case late
        /// The allowance is full again.
        case fresh
    }

    public private(set) var pin: SitePin
    public private(set) var revocations = RevocationSet()
    /// The newest of this generation.
    public private(set) var head: RevocationHead?
    public private(set) var time = SiteTime()
    public private(set) var allowance: OfflineAllowance

    /// A box that has just joined.
    public init(pin: SitePin, allowanceHours: Int = OfflineAllowance.defaultHours) {
        self.pin = pin
        allowance = OfflineAllowance(limit: allowanceHours)
    }

    /// Reads back what was kept of the same site. What is of another generation than the pinned one counts for nothing; so
    /// does time without its head.
    public init(
        pin: SitePin, revocations kept: [Revocation], head: RevocationHead?, time: SiteTime,
        allowance: OfflineAllowance
    ) throws(SiteError) {
        self.init(pin: pin, allowanceHours: allowance.limit)
        for entry in kept where entry.facts.generation == pin.facts.generation { _ = try revocations.insert(entry) }
        guard let head, head.facts.generation == pin.facts.generation else { return }
        (self.head, self.time, self.allowance) = (head, time, allowance)
    }

    /// The time by which grants are judged; nil before the first head of a generation. Never below the head's: what was written
    /// down of time may be older, and entries that had expired at the head's time are forgotten.
    public func seconds(at now: BootClock) -> UInt64? {
        guard let known = time.seconds(at: now) else { return nil }
        return max(known, head?.facts.time ?? 0)
    }

    /// Takes a newer document; see `SitePin.take`. A new generation begins with no entry, no head, no time and no hour.
    public mutating func take(
        _ document: ClaimedSiteDocument, tally: inout SignatureTally
    ) throws(SiteError) -> SitePin.Change {
        let change = try pin.take(document, tally: &tally)
        if change == .newGeneration { self = BoxSite(pin: pin, allowanceHours: allowance.limit) }
        return change
    }

    /// Adds an entry; false if it was there, or has expired. The signature of one that is there is not looked at again.
    public mutating func take(
        _ claimed: ClaimedRevocation, tally: inout SignatureTally
    ) throws(SiteError) -> Bool {
        if let head, claimed.facts.expiry <= head.facts.time { return false }
        if revocations.entry(saying: claimed) != nil { return false }
        return try revocations.insert(try claimed.verify(pin, tally: &tally))
    }

    /// Takes a newer head, of exactly the entries that are held. Throws `setDiffers` where the two sides have to exchange
    /// entries first, by which nothing is lost.
    public mutating func take(
        _ claimed: ClaimedRevocationHead, at now: BootClock, tally: inout SignatureTally
    ) throws(SiteError) -> HeadEffect {
        guard let new = try follow(claimed, tally: &tally) else { return .none }
        guard time.take(new.facts.time, at: now) else { return .late }
        allowance.refill(at: now)
        return .fresh
    }

    /// The same for a head that came in a file: it may have been under way for weeks, and nobody knows for how long. The allowance
    /// counts from the head's time. False: it is the one that is held.
    public mutating func take(
        carried claimed: ClaimedRevocationHead, at now: BootClock, tally: inout SignatureTally
    ) throws(SiteError) -> Bool {
        let known = seconds(at: now) ?? 0
        guard let new = try follow(claimed, tally: &tally) else { return false }
        _ = time.take(new.facts.time, at: now)
        allowance.refill(at: now, age: known > new.facts.time ? known - new.facts.time : 0)
        return true
    }

    /// The head is the one that is held from now on; nil: it is already.
    private mutating func follow(
        _ claimed: ClaimedRevocationHead, tally: inout SignatureTally
    ) throws(SiteError) -> RevocationHead? {
        if let head, head.bytes == claimed.bytes { return nil }
        let new = try claimed.verify(pin, after: head, tally: &tally)
        guard revocations.hash(at: new.facts.time, document: pin.facts) == new.facts.setHash else { throw .setDiffers }
        head = new
        revocations.prune(at: new.facts.time)
        return new
    }

    /// Adds the entries of `other`, which were verified by the same document. Throws `needsDocument` where that is not so, or
    /// `setFull`.
    package mutating func take(entriesOf other: BoxSite) throws(SiteError) {
        guard other.pin == pin else { throw .needsDocument }
        try revocations.formUnion(other.revocations)
    }

    /// `record` is on disk; see `OfflineAllowance.wrote`.
    public mutating func wrote(_ record: OfflineAllowance.Record) { allowance.wrote(record) }
}
