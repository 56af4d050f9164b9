import Secrets
import SiteTrust

/// What this server has seen and the database has not: it was restored from a backup while this server ran. The server is as good
/// a witness as a box, and writes it back; until it is there, the server signs no head, as no other server could sign the same.
struct SiteRepair: Sendable {
    /// Between two tries to write.
    static let pause: Duration = .seconds(5)

    private var lacking: [Revocation] = []
    /// The database has given out fewer numbers than boxes have seen in heads.
    private var isBehind = false
    private var isStoring = false
    private var triedAt: Duration?
    /// The database's document is older than the one that this server has pinned, and boxes perhaps too.
    private(set) var hasOtherGeneration = false

    var isNeeded: Bool { isBehind || !lacking.isEmpty || hasOtherGeneration }

    /// In words; nil: nothing is missing.
    var doubt: String? {
        if hasOtherGeneration {
            return "the database has another generation than the newest site document; publish that document again"
        }
        return isNeeded ? "the database lacks entries that this server has; the server is writing them back" : nil
    }

    /// Takes what was read into `heads`: the keys of boxes that it takes back, and what is to be done.
    mutating func take(
        _ news: SiteNews, _ pin: SitePin, _ heads: inout HeadSigner, now: Duration
    ) -> (boxes: [[UInt8]], effects: [SiteEffect]) {
        var effects: [SiteEffect] = []
        if let doubt = compareGeneration(news, pin) {
            effects.append(.log(SiteLogLine(.error, "signing has stopped: \(doubt)")))
        }
        guard news.generation == pin.facts.generation else { return ([], effects) }
        let wasNeeded = isNeeded
        compare(news, heads.log)
        let (boxes, isFull) = heads.log.add(news.entries, of: pin.facts.generation)
        if isFull {
            let text = "the set of entries is full: give the phones another issuer, and start a new generation"
            effects.append(.log(SiteLogLine(.error, text)))
        }
        if let number = news.number {
            heads.log.raise(to: number)
            heads.isComplete = true
        }
        guard let entries = due(now: now) else { return (boxes, effects) }
        if !wasNeeded {
            let text = "the database was restored from a backup: writing back \(entries.count) entries"
            effects.append(.log(SiteLogLine(.error, text)))
        }
        return (boxes, effects + [.store(nil, entries, above: heads.log.number)])
    }

    /// Whether the database is in the pinned document's generation; what is wrong, the first time that it is not.
    mutating func compareGeneration(_ news: SiteNews, _ pin: SitePin) -> String? {
        let wasOther = hasOtherGeneration
        // A document that was written down during this very look is of the next one.
        hasOtherGeneration = news.generation != pin.facts.generation && news.document == nil
        return hasOtherGeneration && !wasOther ? doubt : nil
    }

    /// Compares what was read with `log`, before it is added there.
    mutating func compare(_ news: SiteNews, _ log: EntryLog) {
        if let number = news.number { isBehind = number < log.number }
        if news.hasAllEntries {
            lacking = log.set.entries.filter { $0.facts.expiry > news.time }
        }
        guard !lacking.isEmpty else { return }
        let there = Set(news.entries.map { Self.content($0.entry) })
        lacking.removeAll { there.contains(Self.content($0)) || $0.facts.expiry <= news.time }
    }

    /// What to write now; nil: nothing, or it is being tried.
    mutating func due(now: Duration) -> [Revocation]? {
        guard isBehind || !lacking.isEmpty, !hasOtherGeneration, !isStoring,
            triedAt.map({ now - $0 >= Self.pause }) ?? true
        else { return nil }
        (isStoring, triedAt) = (true, now)
        return lacking
    }

    /// It was tried: what the database says next tells whether it is there.
    mutating func stored() { isStoring = false }

    private static func content(_ entry: Revocation) -> [UInt8] {
        [UInt8](entry.bytes.dropLast(Ed25519.signatureBytes))
    }
}
