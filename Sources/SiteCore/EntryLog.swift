import SiteTrust

/// The entries of the site's generation, in the order in which this server saw them: what boxes are sent from where they are.
///
/// A union, as at the boxes: a database that was restored from a backup takes nothing away.
struct EntryLog: Sendable {
    private(set) var set = RevocationSet()
    /// `place`: the entry's number; above all that was there where the database gave out its number a second time, after it was
    /// restored. So whoever has all entries up to a number lacks none that stands at or below that place.
    private var placed: [(place: UInt64, entry: ClaimedRevocation)] = []
    /// What had expired by then is forgotten, and is not taken again.
    private var prunedAt: UInt64 = 0
    /// The place of the last one, also when it is forgotten.
    private var lastPlace: UInt64 = 0

    /// The highest number that was given out; 0 before the first.
    private(set) var number: UInt64 = 0

    var count: Int { placed.count }

    /// Adds an entry of the database's; false: it is there, or has expired. Throws `setFull`.
    mutating func add(_ entry: Revocation, number: UInt64) throws(SiteError) -> Bool {
        let before = max(self.number, lastPlace)
        raise(to: number)
        guard entry.facts.expiry > prunedAt, try set.insert(entry) else { return false }
        lastPlace = max(number, before + 1)
        placed.append((lastPlace, try ClaimedRevocation(parsing: entry.bytes)))
        return true
    }

    /// Adds those of `generation`: which boxes they take back, by their keys, and whether there was no room for one.
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

    /// The database gave out numbers up to this one: some without an entry, to go on above what a box has seen.
    mutating func raise(to number: UInt64) {
        self.number = max(self.number, number)
    }

    /// At most `limit` entries behind `place`, and the place behind them; nil: there are none.
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

    /// Forgets what has expired at `time`: no head counts it any more.
    mutating func prune(at time: UInt64) {
        prunedAt = max(prunedAt, time)
        guard placed.contains(where: { $0.entry.facts.expiry <= time }) else { return }
        placed.removeAll { $0.entry.facts.expiry <= time }
        set.prune(at: time)
    }
}
