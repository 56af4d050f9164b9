import SiteTrust

/// The entries of the site's generation, in the order in which this server saw them and sends them to boxes.
///
/// The log is a union, as at the boxes: a database restored from a backup removes nothing from it.
struct EntryLog: Sendable {
    private(set) var set = RevocationSet()
    /// `place` is the entry's number, or above all earlier places if a restored database assigned the number a second
    /// time. A box that has all entries up to a number thus lacks none at or below that place.
    private var placed: [(place: UInt64, entry: ClaimedRevocation)] = []
    /// Entries that expired by this time are forgotten, and are not taken again.
    private var prunedAt: UInt64 = 0
    /// The place of the last entry, even after that entry is forgotten.
    private var lastPlace: UInt64 = 0

    /// The highest number that was assigned, or 0 before the first.
    private(set) var number: UInt64 = 0

    var count: Int { placed.count }

    /// Adds an entry of the database. Returns false if it is present or has expired. Throws `setFull`.
    mutating func add(_ entry: Revocation, number: UInt64) throws(SiteError) -> Bool {
        let before = max(self.number, lastPlace)
        raise(to: number)
        guard entry.facts.expiry > prunedAt, try set.insert(entry) else { return false }
        lastPlace = max(number, before + 1)
        placed.append((lastPlace, try ClaimedRevocation(parsing: entry.bytes)))
        return true
    }

    /// Adds the entries of `generation`. Returns the keys of the boxes they revoke, and whether an entry did not fit.
    mutating func add(
        _ entries: [(number: UInt64, entry: Revocation)], of generation: SiteOrdinal
    ) -> (boxes: [[UInt8]], isFull: Bool) {
        var boxes: [[UInt8]] = []
        var isFull = false
        for (number, entry) in entries where entry.facts.generation == generation {
            do throws(SiteError) {
                if try add(entry, number: number), case .box(let key) = entry.facts.subject { boxes.append(key) }
            } catch {
                isFull = true
            }
        }
        return (boxes, isFull)
    }

    /// Takes the highest number that the database assigned. Some numbers have no entry: they were skipped to stay above
    /// the numbers that boxes have seen.
    mutating func raise(to number: UInt64) {
        self.number = max(self.number, number)
    }

    /// Returns at most `limit` entries after `place` and the place of the last of them, or nil if no entry follows.
    func batch(after place: UInt64, limit: Int) -> (entries: [ClaimedRevocation], place: UInt64)? {
        var (low, high) = (0, placed.count)
        while low < high {
            let middle = (low + high) / 2
            if placed[middle].place <= place { low = middle + 1 } else { high = middle }
        }
        let chosen = placed[low..<min(low + limit, placed.count)]
        guard let last = chosen.last else { return nil }
        return (chosen.map(\.entry), last.place)
    }

    /// Forgets the entries that have expired at `time`, because signed statuses no longer count them.
    mutating func prune(at time: UInt64) {
        prunedAt = max(prunedAt, time)
        guard placed.contains(where: { $0.entry.facts.expiry <= time }) else { return }
        placed.removeAll { $0.entry.facts.expiry <= time }
        set.prune(at: time)
    }
}
