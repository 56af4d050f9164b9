/// All that a phone believes of its site: its document, what it has heard of revoked boxes and of phones that its user has enrolled, and how
/// late it is at least.
public struct PhoneSite: Sendable, Equatable {
    /// Most entries that a phone keeps. One of a box lives no longer than a certificate, 21 days.
    public static let revokedBoxesLimit = 1024

    public private(set) var pin: SitePin
    /// Notices of enrolments are among them, which take nothing back.
    public private(set) var revokedBoxes = RevocationSet(limit: revokedBoxesLimit)
    /// The newest that a box has shown.
    public private(set) var head: RevocationHead?

    /// A phone that was just enrolled.
    public init(pin: SitePin) { self.pin = pin }

    /// Reads back what was kept of the same site. What is of another generation than the pinned one counts for nothing.
    public init(pin: SitePin, revokedBoxes kept: [Revocation], head: RevocationHead?) throws(SiteError) {
        self.init(pin: pin)
        for entry in kept where entry.facts.generation == pin.facts.generation { _ = try revokedBoxes.insert(entry) }
        if let head, head.facts.generation == pin.facts.generation { self.head = head }
    }

    /// Takes a newer document; see `SitePin.take`. A new generation begins with no revoked box and no head.
    public mutating func take(
        _ document: ClaimedSiteDocument, tally: inout SignatureTally
    ) throws(SiteError) -> SitePin.Change {
        let change = try pin.take(document, tally: &tally)
        if change == .newGeneration { self = PhoneSite(pin: pin) }
        return change
    }

    /// Takes a head that a box shows: with it the phone knows how late it is at least. The set is not compared: a phone keeps
    /// boxes only. False for the one that is held.
    public mutating func take(
        _ claimed: ClaimedRevocationHead, tally: inout SignatureTally
    ) throws(SiteError) -> Bool {
        if let head, head.bytes == claimed.bytes { return false }
        let new = try claimed.verify(pin, after: head, tally: &tally)
        head = new
        revokedBoxes.prune(at: new.facts.time)
        return true
    }

    /// Verifies an entry that a box shows, and keeps it if it is of a box, or tells of an enrolment: whose, the caller looks at before. What to do about one that takes back this phone, or
    /// its grant, the caller decides by `RevocationFacts.covers`: only such an entry stops what a phone has for all of a
    /// site, until it expires or its issuer is dropped. A box's word closes a channel and nothing more.
    public mutating func take(
        _ claimed: ClaimedRevocation, tally: inout SignatureTally
    ) throws(SiteError) -> Revocation {
        if let held = revokedBoxes.entry(saying: claimed) { return held }
        let entry = try claimed.verify(pin, tally: &tally)
        switch entry.facts.subject {
        case .phone, .user: return entry
        default: break
        }
        if let head, entry.facts.expiry <= head.facts.time { return entry }
        _ = try revokedBoxes.insert(entry)
        return entry
    }

    /// The time by which a phone judges: its own clock's, or the newest head's where that is later.
    public func seconds(clock: UInt64) -> UInt64 { max(clock, head?.facts.time ?? 0) }
}
