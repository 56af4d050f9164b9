import Secrets
import SiteTrust

/// Tracks entries that this server has seen and the database lacks, because it was restored from a backup. The server
/// writes them back, like those from boxes. Until then it signs no status, because no other server could sign the same.
struct SiteRepair: Sendable {
    /// The pause between two tries to write.
    static let pause: Duration = .seconds(5)

    private var lacking: [Revocation] = []
    /// True if the database assigned lower numbers than boxes have seen in signed statuses.
    private var isBehind = false
    private var isStoring = false
    private var triedAt: Duration?
    /// True if the database has another generation than the document that this server, and perhaps boxes, have pinned.
    private(set) var hasOtherGeneration = false

    var isNeeded: Bool { isBehind || !lacking.isEmpty || hasOtherGeneration }

    /// The reason for not signing, in words, or nil if nothing is missing.
    var doubt: String? {
        if hasOtherGeneration {
            return "the database has another generation than the newest site document; publish that document again"
        }
        return isNeeded ? "the database lacks entries that this server has; the server is writing them back" : nil
    }

    /// Takes the news into `heads`. Returns the keys of boxes that the news revoke, and the actions to perform.
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

    /// Compares the database's generation with that of the pinned document. Returns the problem when it first occurs.
    mutating func compareGeneration(_ news: SiteNews, _ pin: SitePin) -> String? {
        let wasOther = hasOtherGeneration
        // News with a document do not count: their generation may have been read before the document was stored.
        hasOtherGeneration = news.generation != pin.facts.generation && news.document == nil
        return hasOtherGeneration && !wasOther ? doubt : nil
    }

    /// Compares the news with `log`, before they are added to it.
    mutating func compare(_ news: SiteNews, _ log: EntryLog) {
        if let number = news.number { isBehind = number < log.number }
        if news.hasAllEntries {
            lacking = log.set.entries.filter { $0.facts.expiry > news.time }
        }
        guard !lacking.isEmpty else { return }
        let there = Set(news.entries.map { Self.content($0.entry) })
        lacking.removeAll { there.contains(Self.content($0)) || $0.facts.expiry <= news.time }
    }

    /// Returns the entries to write now, none if only the number must be raised. Returns nil if no write is due.
    mutating func due(now: Duration) -> [Revocation]? {
        guard isBehind || !lacking.isEmpty, !hasOtherGeneration, !isStoring,
            triedAt.map({ now - $0 >= Self.pause }) ?? true
        else { return nil }
        (isStoring, triedAt) = (true, now)
        return lacking
    }

    /// Takes the end of a write. The next news show whether it succeeded.
    mutating func stored() { isStoring = false }

    private static func content(_ entry: Revocation) -> [UInt8] {
        [UInt8](entry.bytes.dropLast(Ed25519.signatureBytes))
    }
}
