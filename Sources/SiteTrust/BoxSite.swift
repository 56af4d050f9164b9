/// The site data that a box trusts: documents, entries and signed statuses. This type neither waits nor stores. The
/// caller must store each change before anything relies on it.
public struct BoxSite: Sendable, Equatable {
    /// The effect of a signed status.
    public enum HeadEffect: Sendable, Equatable {
        /// The status is the current one.
        case none
        /// The status is newer but was delayed. The allowance continues to run down.
        case late
        /// The status is fresh and restores the full allowance.
        case fresh
    }

    public private(set) var pin: SitePin
    public private(set) var revocations = RevocationSet()
    /// The newest signed status of this generation.
    public private(set) var head: RevocationHead?
    public private(set) var time = SiteTime()
    public private(set) var allowance: OfflineAllowance

    /// Creates the state of a box that has just joined.
    public init(pin: SitePin, allowanceHours: Int = OfflineAllowance.defaultHours) {
        self.pin = pin
        allowance = OfflineAllowance(limit: allowanceHours)
    }

    /// Restores the stored data of the same site. Ignores data of another generation than the pinned one, and without a
    /// signed status also the time and the allowance.
    public init(
        pin: SitePin, revocations kept: [Revocation], head: RevocationHead?, time: SiteTime,
        allowance: OfflineAllowance
    ) throws(SiteError) {
        self.init(pin: pin, allowanceHours: allowance.limit)
        for entry in kept where entry.facts.generation == pin.facts.generation { _ = try revocations.insert(entry) }
        guard let head, head.facts.generation == pin.facts.generation else { return }
        (self.head, self.time, self.allowance) = (head, time, allowance)
    }

    /// Returns the time for checking grants, or nil before the generation's first signed status. The time is at least
    /// the newest status's: the stored time may be older, and entries that expired by that status are forgotten.
    public func seconds(at now: BootClock) -> UInt64? {
        guard let known = time.seconds(at: now) else { return nil }
        return max(known, head?.facts.time ?? 0)
    }

    /// Accepts a newer document; see `SitePin.take`. A new generation begins without entries, status, time and hours.
    public mutating func take(
        _ document: ClaimedSiteDocument, tally: inout SignatureTally
    ) throws(SiteError) -> SitePin.Change {
        let change = try pin.take(document, tally: &tally)
        if change == .newGeneration { self = BoxSite(pin: pin, allowanceHours: allowance.limit) }
        return change
    }

    /// Adds an entry. Returns false if the entry has expired or is present; a present entry is not verified again.
    public mutating func take(
        _ claimed: ClaimedRevocation, tally: inout SignatureTally
    ) throws(SiteError) -> Bool {
        if let head, claimed.facts.expiry <= head.facts.time { return false }
        if revocations.entry(saying: claimed) != nil { return false }
        return try revocations.insert(try claimed.verify(pin, tally: &tally))
    }

    /// Accepts a newer signed status of exactly the entries in this set. Throws `setDiffers` and changes nothing if the
    /// two sides must exchange entries first.
    public mutating func take(
        _ claimed: ClaimedRevocationHead, at now: BootClock, tally: inout SignatureTally
    ) throws(SiteError) -> HeadEffect {
        guard let new = try follow(claimed, tally: &tally) else { return .none }
        guard time.take(new.facts.time, at: now) else { return .late }
        allowance.refill(at: now)
        return .fresh
    }

    /// Accepts a signed status from a file. The file may have travelled for weeks, so the allowance counts from the
    /// status's own time. Returns false if the status is the current one.
    public mutating func take(
        carried claimed: ClaimedRevocationHead, at now: BootClock, tally: inout SignatureTally
    ) throws(SiteError) -> Bool {
        let known = seconds(at: now) ?? 0
        guard let new = try follow(claimed, tally: &tally) else { return false }
        _ = time.take(new.facts.time, at: now)
        allowance.refill(at: now, age: known > new.facts.time ? known - new.facts.time : 0)
        return true
    }

    /// Makes the signed status the current one. Returns nil if it already is.
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

    /// Adds the entries of `other`. Throws `needsDocument` if `other` has another document, or `setFull`.
    package mutating func take(entriesOf other: BoxSite) throws(SiteError) {
        guard other.pin == pin else { throw .needsDocument }
        try revocations.formUnion(other.revocations)
    }

    /// Call this when `record` is on disk; see `OfflineAllowance.wrote`.
    public mutating func wrote(_ record: OfflineAllowance.Record) { allowance.wrote(record) }
}
