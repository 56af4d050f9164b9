import Secrets

/// All entries of a generation that are known: a union, which only grows, until what an entry takes back has expired.
///
/// No order of messages, and no message that is lost, takes an entry away: whoever has seen more has more.
public struct RevocationSet: Sendable, Equatable {
    /// Most entries that any set holds: 2 MB of them. A site that takes back more within the life of a grant, gives its
    /// phones another issuer, which ends all grants at once.
    public static let entryLimit = 16_384
    private static let hashContext = [UInt8]("boxlink-site-set-1".utf8)

    /// By their content, ascending; no two say the same.
    public private(set) var entries: [Revocation] = []
    private let limit: Int

    /// An empty set, of at most `limit` entries (1 to 16,384).
    public init(limit: Int = entryLimit) {
        self.limit = min(max(limit, 1), Self.entryLimit)
    }

    /// Adds an entry; false if it was there. Throws `setFull`.
    public mutating func insert(_ entry: Revocation) throws(SiteError) -> Bool {
        guard !contains(entry) else { return false }
        guard entries.count < limit else { throw .setFull }
        entries.insert(entry, at: firstPlace(notBefore: entry.content))
        return true
    }

    /// Adds all of `other`'s. Throws `setFull`, and then is as it was.
    public mutating func formUnion(_ other: RevocationSet) throws(SiteError) {
        var union = self
        for entry in other.entries { _ = try union.insert(entry) }
        self = union
    }

    /// What is here and not in `other`: what one side sends the other.
    public func subtracting(_ other: RevocationSet) -> [Revocation] {
        var missing: [Revocation] = []
        for entry in entries where !other.contains(entry) { missing.append(entry) }
        return missing
    }

    public func contains(_ entry: Revocation) -> Bool { self.entry(saying: entry.content) != nil }

    /// The entry that says the same as `claimed`: whose signature need not be looked at again.
    func entry(saying claimed: ClaimedRevocation) -> Revocation? {
        entry(saying: SiteSignature.content(claimed.bytes))
    }

    private func entry(saying content: [UInt8]) -> Revocation? {
        let place = firstPlace(notBefore: content)
        return place < entries.count && entries[place].content == content ? entries[place] : nil
    }

    /// Forgets what has expired at `time`. In a head's hash it is not counted from then on.
    mutating func prune(at time: UInt64) {
        entries.removeAll { $0.facts.expiry <= time }
    }

    /// The hash that a head of `time` has of this set, 32 bytes: SHA-256 of a context, the count of entries (4 bytes) and their
    /// contents, ascending as bytes. Counted are those that have not expired at `time` and whose issuer `document` lists for
    /// revocations: what a new box can verify.
    public func hash(at time: UInt64, document: SiteDocumentFacts) -> [UInt8] {
        var (count, contents): (UInt32, [UInt8]) = (0, [])
        for entry in entries where entry.facts.expiry > time {
            guard document.issuer(entry.issuer)?.role == .revocations else { continue }
            count += 1
            contents += entry.content
        }
        let length = (0..<4).map { UInt8(truncatingIfNeeded: count >> UInt32(24 - 8 * $0)) }
        return SHA256.hash(Self.hashContext + length + contents)
    }

    /// The entry that takes back the grant's phone, or else the grant.
    public func entry(covering grant: GrantFacts) -> Revocation? {
        first(.phone(key: grant.phoneKey), prefix: RevokedSubject.byteCount) { _ in true }
            ?? first(.user(grant.userID, upTo: 0), prefix: 1 + SiteUserID.byteCount) { $0.covers(grant) }
    }

    /// The entry that takes back the box with that key (32 bytes).
    public func entry(coveringBox key: [UInt8]) -> Revocation? {
        first(.box(key: key), prefix: RevokedSubject.byteCount) { _ in true }
    }

    /// Two sets are equal when their entries say the same: one content may have several signatures.
    public static func == (left: RevocationSet, right: RevocationSet) -> Bool {
        guard left.entries.count == right.entries.count else { return false }
        for (one, other) in zip(left.entries, right.entries) where one.content != other.content { return false }
        return true
    }

    /// The first entry that `holds` among those whose kind and subject begin as those of `subject` do, with `prefix` bytes.
    private func first(
        _ subject: RevokedSubject, prefix: Int, where holds: (RevocationFacts) -> Bool
    ) -> Revocation? {
        let beginning = [ClaimedRevocation.version] + subject.bytes.prefix(prefix)
        var place = firstPlace(notBefore: beginning)
        while place < entries.count, entries[place].bytes.starts(with: beginning) {
            if holds(entries[place].facts) { return entries[place] }
            place += 1
        }
        return nil
    }

    private func firstPlace(notBefore content: [UInt8]) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].content.lexicographicallyPrecedes(content) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
