/// The site data that a phone trusts: document, revoked boxes, notices of enrolments, newest signed status.
public struct PhoneSite: Sendable, Equatable {
    /// The most entries that a phone keeps. A box's entry lives at most as long as the box's certificate, 21 days.
    public static let revokedBoxesLimit = 1024

    public private(set) var pin: SitePin
    /// Includes notices of enrolments, which revoke nothing.
    public private(set) var revokedBoxes = RevocationSet(limit: revokedBoxesLimit)
    /// The newest signed status that a box has shown.
    public private(set) var head: RevocationHead?

    /// Creates the state of a phone that was just enrolled.
    public init(pin: SitePin) { self.pin = pin }

    /// Restores the stored data of the same site. Ignores data of another generation than the pinned one.
    public init(pin: SitePin, revokedBoxes kept: [Revocation], head: RevocationHead?) throws(SiteError) {
        self.init(pin: pin)
        for entry in kept where entry.facts.generation == pin.facts.generation { _ = try revokedBoxes.insert(entry) }
        if let head, head.facts.generation == pin.facts.generation { self.head = head }
    }

    /// Accepts a newer document; see `SitePin.take`. A new generation begins without revoked boxes and signed status.
    public mutating func take(
        _ document: ClaimedSiteDocument, tally: inout SignatureTally
    ) throws(SiteError) -> SitePin.Change {
        let change = try pin.take(document, tally: &tally)
        if change == .newGeneration { self = PhoneSite(pin: pin) }
        return change
    }

    /// Accepts a signed status that a box shows, as a lower bound of the time. The phone does not compare the set,
    /// because the phone keeps only some entries. Returns false if the status is the current one.
    public mutating func take(
        _ claimed: ClaimedRevocationHead, tally: inout SignatureTally
    ) throws(SiteError) -> Bool {
        if let head, head.bytes == claimed.bytes { return false }
        let new = try claimed.verify(pin, after: head, tally: &tally)
        head = new
        revokedBoxes.prune(at: new.facts.time)
        return true
    }

    /// Verifies an entry that a box shows, and keeps it if it revokes a box or is a notice. The caller must first check
    /// whom a notice is for. The caller also decides by `RevocationFacts.covers` whether an entry revokes this phone or
    /// its grant. Only such an entry disables the phone's data of the whole site, until the entry expires or its issuer
    /// is dropped. A box's unsigned statement only closes a channel.
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

    /// Returns the later of the phone's clock and the newest signed status's time.
    public func seconds(clock: UInt64) -> UInt64 { max(clock, head?.facts.time ?? 0) }
}
