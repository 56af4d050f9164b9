import Secrets

/// The union of all known entries of a generation. An entry leaves the set only once the revoked item has expired.
///
/// Neither the order nor the loss of messages can remove an entry.
public struct RevocationSet: Sendable, Equatable {
    /// The most entries of any set: 2 MB. A site that revokes more within the life of a grant gives its phones another
    /// issuer, which ends all grants at once.
    public static let entryLimit = 16_384
    private static let hashContext = [UInt8]("boxlink-site-set-1".utf8)

    /// The encoded entries, ascending by content, without duplicates. A box may hold thousands for weeks, and decoded
    /// entries would take twice the memory.
    private var bytes: [UInt8] = []
    private let limit: Int

    /// Creates an empty set of at most `limit` entries (1 to 16,384).
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

    /// Adds an entry. Returns false if the entry was present. Throws `setFull`.
    public mutating func insert(_ entry: Revocation) throws(SiteError) -> Bool {
        let index = firstIndex(notBefore: entry.content)
        guard !hasEntry(at: index, beginningWith: entry.content) else { return false }
        guard count < limit else { throw .setFull }
        bytes.insert(contentsOf: entry.bytes, at: index * Revocation.byteCount)
        return true
    }

    /// Adds all entries of `other`. Throws `setFull` and changes nothing if the union is too large.
    public mutating func formUnion(_ other: RevocationSet) throws(SiteError) {
        // Both sets are sorted, so one pass suffices. Single inserts would move 2 MB for each of 16,384 entries.
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

    /// Compares the contents of two entries: -1, 0 or 1.
    private func compare(_ index: Int, with other: RevocationSet, _ otherIndex: Int) -> Int {
        let one = bytes[range(of: index)].dropLast(Ed25519.signatureBytes)
        let two = other.bytes[range(of: otherIndex)].dropLast(Ed25519.signatureBytes)
        return one.lexicographicallyPrecedes(two) ? -1 : two.lexicographicallyPrecedes(one) ? 1 : 0
    }

    /// Returns the entries that `other` lacks, to be sent there.
    public func subtracting(_ other: RevocationSet) -> [Revocation] {
        var missing: [Revocation] = []
        for entry in entries where !other.contains(entry) { missing.append(entry) }
        return missing
    }

    public func contains(_ entry: Revocation) -> Bool {
        hasEntry(at: firstIndex(notBefore: entry.content), beginningWith: entry.content)
    }

    /// Returns the entry with the same content as `claimed`, whose signature then needs no second check.
    package func entry(saying claimed: ClaimedRevocation) -> Revocation? {
        let content = SiteSignature.content(claimed.bytes)
        let index = firstIndex(notBefore: content)
        return hasEntry(at: index, beginningWith: content) ? entry(at: index) : nil
    }

    /// Removes the entries that have expired at `time`. The hashes of later statuses do not count expired entries.
    package mutating func prune(at time: UInt64) {
        var left: [UInt8] = []
        for index in 0..<count where number(RevocationFacts.expiryOffset, of: index) > time {
            left += bytes[range(of: index)]
        }
        if left.count < bytes.count { bytes = left }
    }

    /// Returns the hash of this set in a signed status of `time`, 32 bytes: the SHA-256 of a context, the count of
    /// entries (4 bytes) and their contents, ascending as bytes. The hash covers the entries that a new box can verify:
    /// not expired at `time`, and by an issuer that `document` lists for revocations.
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

    /// Returns the entry that revokes the grant's phone, or else the grant.
    public func entry(covering grant: GrantFacts) -> Revocation? {
        first(.phone(key: grant.phoneKey), prefix: RevokedSubject.byteCount) { $0.covers(grant) }
            ?? first(.user(grant.userID, upTo: 0), prefix: 1 + SiteUserID.byteCount) { $0.covers(grant) }
    }

    /// Returns the entry that revokes the box with that key (32 bytes).
    public func entry(coveringBox key: [UInt8]) -> Revocation? {
        first(.box(key: key), prefix: RevokedSubject.byteCount) { _ in true }
    }

    /// Returns the first `limit` encoded entries, ascending, that revoke boxes and have an issuer listed in `document`.
    public func entriesOfBoxes(limit: Int, document: SiteDocumentFacts) -> [[UInt8]] {
        entries(beginningWith: [ClaimedRevocation.version, RevokedSubject.boxKind], limit: limit, document)
    }

    /// Returns the first `limit` encoded notices for `user`, ascending, that have an issuer listed in `document`.
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

    /// Compares contents only: one content may have several signatures.
    public static func == (left: RevocationSet, right: RevocationSet) -> Bool {
        guard left.count == right.count else { return false }
        for index in 0..<left.count {
            let one = left.bytes[left.range(of: index)].dropLast(Ed25519.signatureBytes)
            let other = right.bytes[right.range(of: index)].dropLast(Ed25519.signatureBytes)
            guard one.elementsEqual(other) else { return false }
        }
        return true
    }

    /// Returns the first entry that satisfies `holds` and has the first `prefix` bytes of `subject`, kind included.
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

    /// Returns the index of the first entry not before `content`, which may be a prefix; `count` if all are before it.
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

    /// Reads an entry of the set. Its signature was verified before it was inserted.
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
