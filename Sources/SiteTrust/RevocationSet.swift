import Secrets

/// All entries of a generation that are known: a union, which only grows, until what an entry takes back has expired.
///
/// No order of messages, and no message that is lost, takes an entry away: whoever has seen more has more.
public struct RevocationSet: Sendable, Equatable {
    /// Most entries that any set holds: 2 MB of them. A site that takes back more within the life of a grant, gives its
    /// phones another issuer, which ends all grants at once.
    public static let entryLimit = 16_384
    private static let hashContext = [UInt8]("boxlink-site-set-1".utf8)

    /// The entries as they are sent, one behind the other, ascending by their content; no two say the same. A box may hold
    /// thousands for weeks: as values of their own they would take twice the memory.
    private var bytes: [UInt8] = []
    private let limit: Int

    /// An empty set, of at most `limit` entries (1 to 16,384).
    public init(limit: Int = entryLimit) {
        self.limit = min(max(limit, 1), Self.entryLimit)
    }

    public var count: Int { bytes.count / Revocation.byteCount }

    /// All entries, ascending by their content.
    public var entries: [Revocation] {
        var entries: [Revocation] = []
        entries.reserveCapacity(count)
        for index in 0..<count { if let entry = entry(at: index) { entries.append(entry) } }
        return entries
    }

    /// Adds an entry; false if it was there. Throws `setFull`.
    public mutating func insert(_ entry: Revocation) throws(SiteError) -> Bool {
        let index = firstIndex(notBefore: entry.content)
        guard !hasEntry(at: index, beginningWith: entry.content) else { return false }
        guard count < limit else { throw .setFull }
        bytes.insert(contentsOf: entry.bytes, at: index * Revocation.byteCount)
        return true
    }

    /// Adds all of `other`'s. Throws `setFull`, and then is as it was.
    public mutating func formUnion(_ other: RevocationSet) throws(SiteError) {
        // Both are in order: one pass. To insert one by one would move 2 MB for each of 16,384.
        var union: [UInt8] = []
        union.reserveCapacity(max(bytes.count, other.bytes.count))
        var (own, others) = (0, 0)
        while own < count || others < other.count {
            let order = others == other.count ? -1 : own == count ? 1 : compare(own, with: other, others)
            union += order <= 0 ? bytes[range(of: own)] : other.bytes[range(of: others)]
            if order <= 0 { own += 1 }
            if order >= 0 { others += 1 }
        }
        guard union.count <= limit * Revocation.byteCount else { throw .setFull }
        bytes = union
    }

    /// How the contents of two entries are ordered: -1, 0 or 1.
    private func compare(_ index: Int, with other: RevocationSet, _ otherIndex: Int) -> Int {
        let one = bytes[range(of: index)].dropLast(Ed25519.signatureBytes)
        let two = other.bytes[range(of: otherIndex)].dropLast(Ed25519.signatureBytes)
        return one.lexicographicallyPrecedes(two) ? -1 : two.lexicographicallyPrecedes(one) ? 1 : 0
    }

    /// What is here and not in `other`: what one side sends the other.
    public func subtracting(_ other: RevocationSet) -> [Revocation] {
        var missing: [Revocation] = []
        for entry in entries where !other.contains(entry) { missing.append(entry) }
        return missing
    }

    public func contains(_ entry: Revocation) -> Bool {
        hasEntry(at: firstIndex(notBefore: entry.content), beginningWith: entry.content)
    }

    /// The entry that says the same as `claimed`: whose signature need not be looked at again.
    package func entry(saying claimed: ClaimedRevocation) -> Revocation? {
        let content = SiteSignature.content(claimed.bytes)
        let index = firstIndex(notBefore: content)
        return hasEntry(at: index, beginningWith: content) ? entry(at: index) : nil
    }

    /// Forgets what has expired at `time`. In a head's hash it is not counted from then on.
    package mutating func prune(at time: UInt64) {
        var left: [UInt8] = []
        for index in 0..<count where number(RevocationFacts.expiryOffset, of: index) > time {
            left += bytes[range(of: index)]
        }
        if left.count < bytes.count { bytes = left }
    }

    /// The hash that a head of `time` has of this set, 32 bytes: SHA-256 of a context, the count of entries (4 bytes) and their
    /// contents, ascending as bytes. Counted are those that have not expired at `time` and whose issuer `document` lists for
    /// revocations: what a new box can verify.
    public func hash(at time: UInt64, document: SiteDocumentFacts) -> [UInt8] {
        var (counted, contents): (UInt32, [UInt8]) = (0, [])
        for index in 0..<count where number(RevocationFacts.expiryOffset, of: index) > time {
            let issuer = IssuerKeyID(number(RevocationFacts.issuerOffset, of: index))
            guard document.issuer(issuer)?.role == .revocations else { continue }
            counted += 1
            contents += bytes[range(of: index)].dropLast(Ed25519.signatureBytes)
        }
        let length = (0..<4).map { UInt8(truncatingIfNeeded: counted >> UInt32(24 - 8 * $0)) }
        return SHA256.hash(Self.hashContext + length + contents)
    }

    /// The entry that takes back the grant's phone, or else the grant.
    public func entry(covering grant: GrantFacts) -> Revocation? {
        first(.phone(key: grant.phoneKey), prefix: RevokedSubject.byteCount) { $0.covers(grant) }
            ?? first(.user(grant.userID, upTo: 0), prefix: 1 + SiteUserID.byteCount) { $0.covers(grant) }
    }

    /// The entry that takes back the box with that key (32 bytes).
    public func entry(coveringBox key: [UInt8]) -> Revocation? {
        first(.box(key: key), prefix: RevokedSubject.byteCount) { _ in true }
    }

    /// Entries that take back boxes and whose issuer `document` lists for revocations, as they are sent, ascending; the first `limit`
    /// of them.
    public func entriesOfBoxes(limit: Int, document: SiteDocumentFacts) -> [[UInt8]] {
        entries(beginningWith: [ClaimedRevocation.version, RevokedSubject.boxKind], limit: limit, document)
    }

    /// The same of those that tell a user of phones that were enrolled.
    public func notices(for user: SiteUserID, limit: Int, document: SiteDocumentFacts) -> [[UInt8]] {
        entries(
            beginningWith: [ClaimedRevocation.version, RevokedSubject.noticeKind] + user.bytes, limit: limit, document)
    }

    private func entries(beginningWith beginning: [UInt8], limit: Int, _ document: SiteDocumentFacts) -> [[UInt8]] {
        var found: [[UInt8]] = []
        var index = firstIndex(notBefore: beginning)
        while found.count < limit, hasEntry(at: index, beginningWith: beginning) {
            let issuer = IssuerKeyID(number(RevocationFacts.issuerOffset, of: index))
            if document.issuer(issuer)?.role == .revocations { found.append([UInt8](bytes[range(of: index)])) }
            index += 1
        }
        return found
    }

    /// Two sets are equal when their entries say the same: one content may have several signatures.
    public static func == (left: RevocationSet, right: RevocationSet) -> Bool {
        guard left.count == right.count else { return false }
        for index in 0..<left.count {
            let one = left.bytes[left.range(of: index)].dropLast(Ed25519.signatureBytes)
            let other = right.bytes[right.range(of: index)].dropLast(Ed25519.signatureBytes)
            guard one.elementsEqual(other) else { return false }
        }
        return true
    }

    /// The first entry that `holds` among those whose kind and subject begin as those of `subject` do, with `prefix` bytes.
    private func first(
        _ subject: RevokedSubject, prefix: Int, where holds: (RevocationFacts) -> Bool
    ) -> Revocation? {
        let beginning = [ClaimedRevocation.version] + subject.bytes.prefix(prefix)
        var index = firstIndex(notBefore: beginning)
        while hasEntry(at: index, beginningWith: beginning) {
            if let entry = entry(at: index), holds(entry.facts) { return entry }
            index += 1
        }
        return nil
    }

    /// Where the first entry is that does not come before `content`, which may be a beginning; `count` if all do.
    private func firstIndex(notBefore content: [UInt8]) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            let isBefore = bytes[range(of: middle)].prefix(content.count).lexicographicallyPrecedes(content)
            if isBefore { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func hasEntry(at index: Int, beginningWith content: [UInt8]) -> Bool {
        index < count && bytes[range(of: index)].starts(with: content)
    }

    /// What was verified before it came into the set.
    private func entry(at index: Int) -> Revocation? {
        do throws(SiteError) { return try Revocation(kept: [UInt8](bytes[range(of: index)])) } catch { return nil }
    }

    private func number(_ offset: Int, of index: Int) -> UInt64 {
        UInt64(bigEndian: bytes[range(of: index)].dropFirst(offset).prefix(8))
    }

    private func range(of index: Int) -> Range<Int> {
        index * Revocation.byteCount..<(index + 1) * Revocation.byteCount
    }
}
